"""The cases on PyTorch's side, with the shapes, dropout and optimizers of slope's cases (tools/bench/models.cpp, tools/bench/decoding.cpp)."""
import pathlib
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

GOLDEN = pathlib.Path(__file__).resolve().parents[3] / "tests" / "golden"
sys.path[:0] = [str(GOLDEN), str(GOLDEN / "zoo")]
import models
import microgpt as smallest
import pytorch_ops

FIRST_WORD, SOS, EOS = 4, 2, 3


class Workload:
    batches, parameters = [None], 0

    def run(self, steps):  # (milliseconds, mean loss)
        start = time.perf_counter()
        losses = [self.step() for _ in range(steps)]
        return 1e3 * (time.perf_counter() - start), sum(losses) / steps


class Training(Workload):
    def __init__(self, options, model, loss, batches, optimizer, clip=None, dynamic=False):
        self.model, self.batches, self.optimizer, self.clip, self.next = model.train(), batches, optimizer, clip, 0
        self.loss = torch.compile(loss, dynamic=dynamic) if options.compile else loss
        self.autocast = torch.autocast("cpu", torch.bfloat16, enabled=options.precision == "bf16")
        self.parameters = models.count(model)

    def step(self):
        with self.autocast:
            loss = self.loss(*self.batches[self.next])
        self.next = (self.next + 1) % len(self.batches)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.clip:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip, foreach=True)
        self.optimizer.step()
        return loss.item()


def fused_attention(self, query, key, value, blocked):
    q, k, v = self.split(self.fc_query(query)), self.split(self.fc_key(key)), self.split(self.fc_value(value))
    y = F.scaled_dot_product_attention(q, k, v, ~blocked, self.dropout.p if self.training else 0.0)
    return self.fc_out(y.transpose(1, 2).reshape(query.shape))


def fused_causal_attention(self, x):
    B, T, C = x.shape
    q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
    y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.attn_dropout.p if self.training else 0.0, is_causal=True)
    return self.resid_dropout(self.c_proj(y.transpose(1, 2).reshape(B, T, C)))


def fused_attention_of_names(self, x):
    q, k, v = (w(x).unflatten(-1, (self.n_head, -1)).transpose(1, 2) for w in (self.attn_wq, self.attn_wk, self.attn_wv))
    return self.attn_wo(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


def postnorm(options, *sizes, **shape):
    if options.attention == "fused":
        models.MultiheadAttention.forward = fused_attention
    model = models.PostNormTransformer(*sizes, **shape)
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    return model


def postnorm_training(options, model, batches, dynamic=False):
    def loss(source, target):
        return models.token_loss(model(source, target[:, :-1]), target[:, 1:])

    return Training(options, model, loss, batches, torch.optim.Adam(model.parameters(), lr=5e-4, fused=True), clip=1.0, dynamic=dynamic)


def words(vocabulary, *shape):
    return torch.randint(FIRST_WORD, vocabulary, shape)


def translation(options, B, S, T, source_vocab, target_vocab, **shape):
    batches = [(words(source_vocab, B, S), words(target_vocab, B, T + 1)) for _ in range(4)]
    return postnorm_training(options, postnorm(options, source_vocab, target_vocab, **shape), batches)


def real(options):
    from safetensors import safe_open

    with safe_open(options.batches, "pt") as file:
        facts, names = file.metadata(), sorted(k for k in file.keys() if k.startswith("source."))
        batches = [(file.get_tensor(k), file.get_tensor(k.replace("source", "target"))) for k in names]
    return postnorm_training(options, postnorm(options, int(facts["source_vocab"]), int(facts["target_vocab"])), batches, dynamic=True)


def char_gpt(options, B, T, vocabulary, lr, **shape):
    if options.attention != "explicit":
        models.CausalSelfAttention.forward = fused_causal_attention
    model = models.CharGpt(vocabulary, **shape)
    optimizer = torch.optim.AdamW(model.parameter_groups(0.1), lr=lr, betas=(0.9, 0.99), fused=True)
    batches = [(words(vocabulary, B, T), words(vocabulary, B, T)) for _ in range(4)]
    return Training(options, model, lambda x, y: F.cross_entropy(model(x).flatten(0, 1), y.flatten()), batches, optimizer, clip=1.0)


def microgpt(options, names):
    if options.attention != "explicit":
        smallest.Block.attention = fused_attention_of_names
    model = smallest.MicroGpt(27)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.85, 0.99), fused=True)
    batches = [(words(27, names, 16), words(27, names, 16)) for _ in range(4)]
    return Training(options, model, lambda x, y: F.cross_entropy(model(x).flatten(0, 1), y.flatten()), batches, optimizer)


def mlp(options):
    model = models.TwoMoonsMlp()
    angle, label = torch.pi * torch.rand(32, 1), (torch.arange(32) >= 16).float()[:, None]
    points = torch.cat([torch.where(label == 0, angle.cos(), 1 - angle.cos()), torch.where(label == 0, angle.sin(), 0.5 - angle.sin())], 1)
    return Training(options, model, lambda x, y: F.binary_cross_entropy_with_logits(model(x), y), [(points, label)],
                    torch.optim.SGD(model.parameters(), lr=0.5, fused=True))


class Decoding(Workload):
    """The usual loop: for each new token the decoder runs over all tokens so far."""

    def __init__(self, options, sentences, source_tokens=24, new_tokens=64):
        self.model = postnorm(options, 8000, 6000).eval()
        with torch.no_grad():
            self.model.fc.bias[[models.PAD, SOS, EOS]] = -1e9  # no sentence ends early, and none is padded
        self.source, self.new_tokens, self.parameters = words(8000, sentences, source_tokens), new_tokens, models.count(self.model)
        self.decode = torch.compile(self.model.decode, dynamic=True) if options.compile else self.model.decode

    @torch.no_grad()
    def step(self):
        memory = self.model.encode(self.source)
        target = torch.full((len(self.source), 1), SOS)
        for _ in range(self.new_tokens):
            newest = self.decode(target, memory, self.source)[:, -1].argmax(-1, keepdim=True)
            target = torch.cat([target, newest], 1)
        return 0.0


CASES = {
    "translation": lambda o: translation(o, 128, 24, 24, 8000, 6000),
    "transformer-base": lambda o: translation(o, 16, 64, 64, 10000, 10000, d_model=512, n_enc_layers=6, n_dec_layers=6, d_ff=2048),
    "char-gpt": lambda o: char_gpt(o, 12, 64, 65, 1e-3),
    "gpt-384": lambda o: char_gpt(o, 8, 256, 65, 1e-3, block_size=256, n_layer=6, n_head=6, n_embd=384),
    "gpt2-124m": lambda o: char_gpt(o, 4, 64, 50257, 1e-4, block_size=1024, n_layer=12, n_head=12, n_embd=768, bias=True),
    "microgpt": lambda o: microgpt(o, 1),
    "microgpt-16": lambda o: microgpt(o, 16),
    "two-moons": mlp,
    "decode1": lambda o: Decoding(o, 1),
    "decode64": lambda o: Decoding(o, 64),
    "real": real,
}


class Op(Workload):
    def __init__(self, name):
        self.step = pytorch_ops.step(name)


def make(options):
    torch.manual_seed(options.seed)
    if options.case.startswith("operations."):
        return Op(options.case.removeprefix("operations."))
    if options.case not in CASES:
        sys.exit(f"pytorch_side: no case is called {options.case}")
    return CASES[options.case](options)
