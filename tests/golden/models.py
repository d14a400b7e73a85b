"""The zoo's models, defined a second time in PyTorch, and their golden files.

Imported, this gives PostNormTransformer, CharGpt and TwoMoonsMlp. Run as a script, it writes for each model NAME:
  NAME_f32.safetensors, NAME_f64.safetensors   parameter/KEY and gradient/KEY for every key of state_dict (a tied one once), the inputs,
      logits, loss (rank 0), and curve (21): the loss before each of 20 optimizer steps and after the last. Dropout is 0 throughout.
      Both start from the same values (the f64 ones are the f32 ones, widened).
      postnorm: source (B, S), target (B, T + 1) with <sos> first; decoder input target[:, :-1], labels target[:, 1:], pads (0) ignored;
                 also memory (B, S, C), the encoder's output; curve: Adam, lr 1e-3, no clipping.
      char_gpt:  input, label (B, T); curve: AdamW, lr 1e-3, betas 0.9, 0.99, weight decay 0.1 on what has two or more dims, clip 1.
      mlp:       input (32, 2), label (32, 1); loss bce_with_logits, mean; curve: SGD, lr 0.5.
  models.json    configurations, settings and parameter counts of the files above
  NAME.keys.txt  one line per entry of state_dict, in order: KEY dim dim …   (full-size model)
  NAME.print.txt print(model), full-size; stack.print.txt: a list of modules that shows every module type and the collapsing of repeats
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

PAD = 0


class TransformerEmbedding(nn.Module):
    def __init__(self, vocabulary, d_model, max_len, dropout):
        super().__init__()
        self.embed_tok = nn.Embedding(vocabulary, d_model)
        self.embed_pos = nn.Embedding(max_len, d_model)
        self.dropout = nn.Dropout(dropout)
        self.scale = d_model**0.5

    def forward(self, x):  # (B, L) -> (B, L, C)
        position = torch.arange(x.shape[1], device=x.device)
        return self.dropout(self.embed_tok(x) * self.scale + self.embed_pos(position))


class MultiheadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout):
        super().__init__()
        assert d_model % n_heads == 0
        self.n_heads, self.head_dim = n_heads, d_model // n_heads
        self.fc_query = nn.Linear(d_model, d_model)
        self.fc_key = nn.Linear(d_model, d_model)
        self.fc_value = nn.Linear(d_model, d_model)
        self.fc_out = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):  # (B, L, C) -> (B, H, L, D)
        return x.view(x.shape[0], x.shape[1], self.n_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, blocked):  # blocked: bool, broadcasts to (B, H, T, S), True where attention must not go
        q, k, v = self.split(self.fc_query(query)), self.split(self.fc_key(key)), self.split(self.fc_value(value))
        scores = q @ k.transpose(-1, -2) / self.head_dim**0.5
        weights = scores.masked_fill(blocked, float("-inf")).softmax(-1)
        y = self.dropout(weights) @ v
        return self.fc_out(y.transpose(1, 2).reshape(query.shape))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(self.dropout(torch.relu(self.linear1(x))))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout):
        super().__init__()
        self.mha = MultiheadAttention(d_model, n_heads, dropout)
        self.ln1 = nn.LayerNorm(d_model)
        self.ff = FeedForward(d_model, d_ff, dropout)
        self.ln2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, source_mask):
        x = self.ln1(x + self.dropout(self.mha(x, x, x, source_mask)))
        return self.ln2(x + self.dropout(self.ff(x)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout):
        super().__init__()
        self.mha1 = MultiheadAttention(d_model, n_heads, dropout)
        self.ln1 = nn.LayerNorm(d_model)
        self.mha2 = MultiheadAttention(d_model, n_heads, dropout)
        self.ln2 = nn.LayerNorm(d_model)
        self.ff = FeedForward(d_model, d_ff, dropout)
        self.ln3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, self_mask, cross_mask):
        x = self.ln1(x + self.dropout(self.mha1(x, x, x, self_mask)))
        x = self.ln2(x + self.dropout(self.mha2(x, memory, memory, cross_mask)))
        return self.ln3(x + self.dropout(self.ff(x)))


class Encoder(nn.Module):
    def __init__(self, n_layers, *layer):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(*layer) for _ in range(n_layers))

    def forward(self, x, source_mask):
        for layer in self.layers:
            x = layer(x, source_mask)
        return x


class Decoder(nn.Module):
    def __init__(self, n_layers, *layer):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(*layer) for _ in range(n_layers))

    def forward(self, x, memory, self_mask, cross_mask):
        for layer in self.layers:
            x = layer(x, memory, self_mask, cross_mask)
        return x


class Transformer(nn.Module):
    def __init__(self, n_enc_layers, n_dec_layers, *layer):
        super().__init__()
        self.encoder = Encoder(n_enc_layers, *layer)
        self.decoder = Decoder(n_dec_layers, *layer)


class PostNormTransformer(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model=256, n_heads=8, n_enc_layers=3, n_dec_layers=3, d_ff=512, dropout=0.1,
                 source_max_len=100, target_max_len=100):
        super().__init__()
        self.embed_src = TransformerEmbedding(source_vocab, d_model, source_max_len, dropout)
        self.embed_tgt = TransformerEmbedding(target_vocab, d_model, target_max_len, dropout)
        self.transformer = Transformer(n_enc_layers, n_dec_layers, d_model, n_heads, d_ff, dropout)
        self.fc = nn.Linear(d_model, target_vocab)

    def encode(self, source):  # (B, S) -> (B, S, C)
        return self.transformer.encoder(self.embed_src(source), (source == PAD)[:, None, None, :])

    def decode(self, target, memory, source):  # (B, T), (B, S, C), (B, S) -> (B, T, V)
        future = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=target.device).triu(1)
        self_mask = (target == PAD)[:, None, None, :] | future
        return self.fc(self.transformer.decoder(self.embed_tgt(target), memory, self_mask, (source == PAD)[:, None, None, :]))

    def forward(self, source, target):
        return self.decode(target, self.encode(source), source)


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout, bias):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=bias)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)
        self.n_head = n_head

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        scores = q @ k.transpose(-1, -2) / math.sqrt(C // self.n_head)
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        y = self.attn_dropout(scores.masked_fill(future, float("-inf")).softmax(-1)) @ v
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))


class MLP(nn.Module):
    def __init__(self, n_embd, dropout, bias):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd, bias=bias)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * n_embd, n_embd, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, dropout, bias):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd, bias=bias)
        self.attn = CausalSelfAttention(n_embd, n_head, dropout, bias)
        self.ln_2 = nn.LayerNorm(n_embd, bias=bias)
        self.mlp = MLP(n_embd, dropout, bias)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GptBody(nn.Module):
    def __init__(self, vocab_size, block_size, n_layer, n_head, n_embd, dropout, bias):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(Block(n_embd, n_head, dropout, bias) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(n_embd, bias=bias)

    def forward(self, x):
        x = self.drop(self.wte(x) + self.wpe(torch.arange(x.shape[1], device=x.device)))
        for block in self.h:
            x = block(x)
        return self.ln_f(x)


class CharGpt(nn.Module):
    """nanoGPT's names; the defaults are those of its recipe for a CPU, without biases."""

    def __init__(self, vocab_size=65, block_size=64, n_layer=4, n_head=4, n_embd=128, dropout=0.0, bias=False):
        super().__init__()
        self.transformer = GptBody(vocab_size, block_size, n_layer, n_head, n_embd, dropout, bias)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * n_layer) if name.endswith("c_proj.weight") else 0.02)

    def forward(self, x):  # (B, T) -> (B, T, V)
        return self.lm_head(self.transformer(x))

    def parameter_groups(self, weight_decay):
        decayed = [p for p in self.parameters() if p.dim() >= 2]
        plain = [p for p in self.parameters() if p.dim() < 2]
        return [{"params": decayed, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


class TwoMoonsMlp(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.fc1 = nn.Linear(2, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, 1)

    def forward(self, x):  # (B, 2) -> (B, 1)
        return self.fc3(torch.tanh(self.fc2(torch.tanh(self.fc1(x)))))


def count(model):
    return sum(p.numel() for p in model.parameters())


def token_loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=PAD)


def golden(name, model, inputs, logits_of, loss_of, optimizer_of, clip=None, more_of=None):
    """Writes NAME_f32 and NAME_f64 from the same initial weights."""
    start = {k: v.clone() for k, v in model.state_dict().items()}
    for suffix, dtype in (("f32", torch.float32), ("f64", torch.float64)):
        model.to(dtype).load_state_dict(start)
        model.train()
        cast = {k: v.to(dtype) if v.is_floating_point() else v for k, v in inputs.items()}
        files = dict(cast)
        files.update({f"parameter/{k}": p.clone() for k, p in model.named_parameters()})
        logits = logits_of(cast)
        loss = loss_of(logits, cast)
        model.zero_grad()
        loss.backward()
        files.update({f"gradient/{k}": p.grad.clone() for k, p in model.named_parameters()})
        files |= {"logits": logits, "loss": loss}
        if more_of:
            files |= more_of(cast)
        optimizer, curve = optimizer_of(), []
        for _ in range(20):
            optimizer.zero_grad()
            loss = loss_of(logits_of(cast), cast)
            curve.append(loss.item())
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
        curve.append(loss_of(logits_of(cast), cast).item())
        save(f"{name}_{suffix}.safetensors", files | {"curve": torch.tensor(curve, dtype=dtype)})
    return curve


def spread(model):
    """Moves every parameter off its special value (biases 0, gains 1), so that a forgotten one shows."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn_like(p))


def write_postnorm():
    torch.manual_seed(1)
    config = dict(source_vocab=11, target_vocab=13, d_model=16, n_heads=4, n_enc_layers=2, n_dec_layers=2, d_ff=24, dropout=0.0,
                  source_max_len=9, target_max_len=8)
    model = PostNormTransformer(**config)
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    spread(model)
    source = torch.tensor([[2, 5, 6, 7, 8, 9, 3], [2, 10, 4, 5, 3, 0, 0], [2, 9, 3, 0, 0, 0, 0]])
    target = torch.tensor([[2, 7, 5, 3, 0, 0, 0], [2, 4, 12, 11, 10, 9, 3], [2, 6, 6, 8, 3, 0, 0]])
    golden("postnorm", model, {"source": source, "target": target}, lambda f: model(f["source"], f["target"][:, :-1]),
           lambda y, f: token_loss(y, f["target"][:, 1:]), lambda: torch.optim.Adam(model.parameters(), lr=1e-3),
           more_of=lambda f: {"memory": model.encode(f["source"])})
    return {"config": config, "optimizer": {"name": "adam", "lr": 1e-3}, "parameters": count(model)}


def write_char_gpt():
    torch.manual_seed(2)
    config = dict(vocab_size=13, block_size=10, n_layer=2, n_head=2, n_embd=16, dropout=0.0)
    model = CharGpt(**config)
    spread(model)
    tokens = torch.randint(0, 13, (3, 9))
    golden("char_gpt", model, {"input": tokens[:, :-1].contiguous(), "label": tokens[:, 1:].contiguous()}, lambda f: model(f["input"]),
           lambda y, f: F.cross_entropy(y.flatten(0, 1), f["label"].flatten()),
           lambda: torch.optim.AdamW(model.parameter_groups(0.1), lr=1e-3, betas=(0.9, 0.99)), clip=1.0)
    return {"config": config, "optimizer": {"name": "adamw", "lr": 1e-3, "betas": [0.9, 0.99], "weight_decay": 0.1, "clip": 1.0},
            "parameters": count(model)}


def write_mlp():
    torch.manual_seed(3)
    model = TwoMoonsMlp()
    angle = math.pi * torch.rand(32)
    label = (torch.arange(32) % 2).float()
    x = torch.where(label == 0, torch.cos(angle), 1 - torch.cos(angle))
    y = torch.where(label == 0, torch.sin(angle), 0.5 - torch.sin(angle))
    points = torch.stack([x, y], 1) + 0.1 * torch.randn(32, 2)
    golden("mlp", model, {"input": points, "label": label[:, None]}, lambda f: model(f["input"]),
           lambda y, f: F.binary_cross_entropy_with_logits(y, f["label"]), lambda: torch.optim.SGD(model.parameters(), lr=0.5))
    return {"config": {"hidden": 16}, "optimizer": {"name": "sgd", "lr": 0.5}, "parameters": count(model)}


def stack():
    """Every module type with and without its defaults, nested lists, repeats that collapse and repeats that do not."""
    def block(p=0.1):
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(p), nn.Linear(16, 8))
    return nn.ModuleList([
        nn.Embedding(10, 8), nn.Embedding(10, 8, padding_idx=0), nn.Linear(8, 16), nn.Linear(16, 8, bias=False),
        nn.LayerNorm(8), nn.LayerNorm(8, eps=1e-6), nn.LayerNorm(8, elementwise_affine=False), nn.LayerNorm(8, bias=False),
        nn.LayerNorm((4, 8)), nn.RMSNorm(8), nn.RMSNorm(8, eps=1e-6), nn.RMSNorm(8, elementwise_affine=False),
        nn.Dropout(0.1), nn.Dropout(), nn.Dropout(0.0), nn.ReLU(), nn.GELU(), nn.GELU(approximate="tanh"), nn.SiLU(), nn.Tanh(),
        nn.Sigmoid(), nn.MultiheadAttention(8, 2), nn.Sequential(), nn.ModuleList(), nn.Sequential(nn.Tanh()), block(),
        nn.ModuleList([block(), block(), block()]), nn.ModuleList([block(), block(), block(0.2), block(0.2), block()]),
        nn.ReLU(), nn.ReLU(), nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)])


def write_texts():
    full = {"postnorm": PostNormTransformer(7853, 5893), "char_gpt": CharGpt(), "mlp": TwoMoonsMlp()}
    assert count(full["postnorm"]) == 9_038_341
    for name, model in full.items():
        keys = [" ".join([k, *map(str, v.shape)]) for k, v in model.state_dict().items()]
        save_text(f"{name}.keys.txt", "\n".join(keys) + "\n")
        save_text(f"{name}.print.txt", str(model) + "\n")
    save_text("stack.print.txt", str(stack()) + "\n")
    return {name: count(model) for name, model in full.items()}


if __name__ == "__main__":
    from common import save, save_json, save_text

    facts = {"postnorm": write_postnorm(), "char_gpt": write_char_gpt(), "mlp": write_mlp()}
    for name, number in write_texts().items():
        facts[name]["parameters_full_size"] = number
    save_json("models.json", facts)
