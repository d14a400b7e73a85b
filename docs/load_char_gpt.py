"""A char-gpt that `slope export RUN --to pytorch -o FOLDER` wrote, in PyTorch: its loss on a text.

    load_char_gpt.py FOLDER TEXT      prints the mean loss of a character, in blocks that do not overlap, as `slope eval RUN --data TEXT` does

Of runs on the characters of one text; those on documents (`--documents`) or with another `--tokenizer` are refused.
"""
import json, pathlib, re, sys, torch, unicodedata
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        C, bias, self.heads = c["n_embd"], c["bias"], c["n_head"]
        self.ln_1, self.ln_2 = nn.LayerNorm(C, bias=bias), nn.LayerNorm(C, bias=bias)
        self.attn = nn.ModuleDict({"c_attn": nn.Linear(C, 3 * C, bias), "c_proj": nn.Linear(C, C, bias)})
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(C, 4 * C, bias), "c_proj": nn.Linear(4 * C, C, bias)})

    def forward(self, x):  # (B, T, C)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.attn.c_attn(self.ln_1(x)).chunk(3, -1))
        x = x + self.attn.c_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x))))


class CharGpt(nn.Module):
    def __init__(self, c, characters):
        super().__init__()
        C = c["n_embd"]
        self.transformer = nn.ModuleDict({"wte": nn.Embedding(characters, C), "wpe": nn.Embedding(c["block_size"], C), "h": nn.ModuleList(Block(c) for _ in range(c["n_layer"])), "ln_f": nn.LayerNorm(C, bias=c["bias"])})
        self.lm_head = nn.Linear(C, characters, bias=False)
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, ids):  # (B, T) -> (B, T, characters)
        x = self.transformer.wte(ids) + self.transformer.wpe.weight[: ids.shape[1]]
        for block in self.transformer.h:
            x = block(x)
        return self.lm_head(self.transformer.ln_f(x))


def read(path, lowercase):
    """The text as slope reads it: without a byte order mark, lines ending in LF, in NFC."""
    text = unicodedata.normalize("NFC", re.sub("\r+\n", "\n", path.read_bytes().decode("utf-8-sig")))
    return unicodedata.normalize("NFC", text.lower()) if lowercase else text


def main(folder, text):
    config, weights = json.loads((folder / "config.json").read_text(encoding="utf-8")), load_file(folder / "model.safetensors")
    if config["model"] != "char-gpt":
        sys.exit(f"{sys.argv[0]}: the run's model is {config['model']}; this script reads char-gpt")
    if config["documents"] != "whole":
        sys.exit(f"{sys.argv[0]}: the run's documents are {config['documents']}; this script reads one text")
    if config["tokenizer"] != "characters":
        sys.exit(f"{sys.argv[0]}: the run's tokens are {config['tokenizer']}; this script reads characters")
    text = read(text, config["lowercase"])
    if len(text) < 2:
        sys.exit(f"{sys.argv[0]}: the text needs at least two characters")
    unescaped = {r"\n": "\n", r"\r": "\r", r"\\": "\\"}
    tokens = [unescaped.get(line, line) for line in (folder / "source.vocab").read_text(encoding="utf-8").split("\n")[:-1]]
    if unknown := set(text) - set(tokens):
        sys.exit(f"{sys.argv[0]}: {min(unknown)!r} is not in the run's vocabulary")
    model = CharGpt(config, len(tokens))
    model.load_state_dict(weights)  # strictly
    ids, T, total = torch.tensor([tokens.index(c) for c in text]), config["block_size"], 0.0
    for i in range(0, len(ids) - 1, T):
        x, y = ids[i : i + T], ids[i + 1 : i + T + 1]
        total += F.cross_entropy(model(x[None, : len(y)])[0], y, reduction="sum").item()
    print(total / (len(ids) - 1))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} FOLDER TEXT")
    with torch.no_grad():
        main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
