"""Golden results of PyTorch's attention and Transformer with every argument, in combinations that a seeded generator draws: outputs, weights, all gradients.
Writes attention.txt, attention_f64.safetensors and attention_f32.safetensors; the same of transformer_layers and transformer. transformer_f64 also has printed texts and keys.

Each .txt has a line for each case:   CASE OP KEY=VALUE …   (ops.py describes the form).
All numbers of a case are taken, one after another, from the tensor `pool` of the f64 file, beginning at the element `pool=` and going round:
  inputs (query, key, value; fewer if `same=` says so), parameters in the order of state_dict, masks, cotangents. Masks of attention: key_padding_mask, attn_mask;
  of src, tgt, memory (in this order): mask, key_padding_mask.
A bool mask blocks where its number is above 0.5; a float mask is the number, or -inf where it is above 1. Neither in its first column, so that no row is
fully masked: such rows are nan in PyTorch and 0 in slope. `causal` is the bool mask of all later keys, `causal_float` the same as 0 and -inf.
The tensor CASE holds the results, flattened one after another: outputs, then the gradients of  sum <output, cotangent>  with respect to the inputs, the
float masks and the parameters, in the same order. Numbers with which
PyTorch's f32 results differ from its f64 results by more than 2e-6, as of a norm of nearly equal channels, are drawn again. A gradient that is nothing but rounding in f64 (of the scores of a single key) is written as 0.
"""
import random
import warnings

import torch
from torch import nn
from torch.nn import functional as F

from common import save, save_text

warnings.filterwarnings("ignore")
INF = float("inf")
POOL = torch.randn(4999, generator=torch.Generator().manual_seed(38))
draw = random.Random(38)


class Numbers:
    """consecutive numbers of the pool"""

    def __init__(self, start, dtype):
        self.at, self.dtype = start, dtype

    def __call__(self, *shape):
        size = torch.Size(shape).numel()
        x = POOL[(self.at + torch.arange(size)) % len(POOL)].reshape(shape).to(self.dtype)
        self.at += size
        return x

    def input(self, *shape):
        return self(*shape).requires_grad_()

    def fill(self, module):
        with torch.no_grad():
            for p in module.state_dict().values():
                p.copy_(self(*p.shape) / 2)

    def mask(self, kind, *shape):
        if kind == "none":
            return None
        if kind.startswith("causal"):
            future = torch.ones(shape, dtype=torch.bool).triu(1)
            return future if kind == "causal" else torch.zeros(shape, dtype=self.dtype).masked_fill(future, -INF)
        x, limit = self(*shape), 0.5 if kind.startswith("bool") else 1
        hidden = x > limit
        hidden[..., 0] = False
        return hidden if kind.startswith("bool") else x.masked_fill(hidden, -INF).requires_grad_()


def results(numbers, outputs, leaves):
    cotangents = [numbers(*y.shape) for y in outputs]
    grads = torch.autograd.grad(outputs, leaves, cotangents, allow_unused=True)
    return [x.detach().flatten() for x in outputs] + [torch.zeros(x.numel()) if g is None else g.flatten() for x, g in zip(leaves, grads)]


def is_zero(x):
    return x.numel() > 0 and x.abs().max() < 1e-14


def both(evaluate, case):
    """the results in f64 and f32; none if f32 loses so many digits on the way that no two implementations agree to 1e-5"""
    doubles, singles = evaluate(case, torch.float64), evaluate(case, torch.float32)
    zero = [is_zero(x) for x in doubles]
    doubles, singles = [[torch.zeros_like(x) if z else x for x, z in zip(xs, zero)] for xs in (doubles, singles)]
    for x, y in zip(doubles, singles):
        if x.numel() and ((x - y).abs() / x.abs().clamp(min=x.abs().max().clamp(max=1))).nan_to_num().max() > 2e-6:
            return None
    return [torch.cat(doubles), torch.cat(singles)]


def floats(*masks):
    return [m for m in masks if m is not None and m.requires_grad]


def scaled_dot_product(c, dtype):
    n = Numbers(c["pool"], dtype)
    lead = [c["B"]] if c["B"] else []
    q, k, v = n.input(*lead, c["H"], c["L"], c["D"]), n.input(*lead, c["G"], c["S"], c["D"]), n.input(*lead, c["G"], c["S"], c["E"])
    shape = {"full": [*lead, c["H"], c["L"], c["S"]], "rows": [c["L"], c["S"]], "keys": [1, c["S"]]}[c["mask_shape"]]
    mask = n.mask(c["attn_mask"], *shape)
    scale = c["scale"] or None
    given = ~mask if mask is not None and mask.dtype == torch.bool else mask  # here PyTorch's True means: may attend
    y = F.scaled_dot_product_attention(q, k, v, given, is_causal=c["is_causal"], scale=scale, enable_gqa=c["enable_gqa"])
    return results(n, [y], [q, k, v, *floats(mask)])


def attention(c, dtype):
    n, E, H, batch, L, S = Numbers(c["pool"], dtype), c["E"], c["H"], c["B"], c["L"], c["S"]
    m = nn.MultiheadAttention(E, H, bias=c["bias"], add_bias_kv=c["add_bias_kv"], add_zero_attn=c["add_zero_attn"], kdim=c["kdim"] or None, vdim=c["vdim"] or None,
                              batch_first=c["batch_first"]).to(dtype)

    def sequence(length, width):
        return n.input(length, width) if not batch else n.input(batch, length, width) if c["batch_first"] else n.input(length, batch, width)

    inputs = [sequence(L, E)]
    if c["same"] != "all":
        inputs.append(sequence(S, c["kdim"] or E))
    if c["same"] == "none":
        inputs.append(sequence(S, c["vdim"] or E))
    query, key, value = inputs[0], inputs[min(1, len(inputs) - 1)], inputs[-1]
    n.fill(m)
    padding = n.mask(c["key_padding_mask"], *([batch, S] if batch else [S]))
    heads = [max(batch, 1) * H] if c["attn_mask"].endswith("3") else []
    mask = n.mask(c["attn_mask"], *heads, L, S)
    y, w = m(query, key, value, key_padding_mask=padding, need_weights=c["need_weights"], attn_mask=mask, average_attn_weights=c["average"], is_causal=c["is_causal"])
    outputs = [y] if w is None else [y, w]
    return results(n, outputs, [*inputs, *floats(padding, mask), *m.parameters()])


ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "callable": lambda x: x * torch.tanh(x)}


def options(c):
    return dict(dim_feedforward=c["F"], dropout=0.0, activation=ACTIVATIONS[c["activation"]], layer_norm_eps=c["eps"], batch_first=c["batch_first"], norm_first=c["norm_first"],
                bias=c["bias"])


def sequence(n, c, length):
    B, C = c["B"], c["C"]
    return n.input(length, C) if not B else n.input(B, length, C) if c["batch_first"] else n.input(length, B, C)


def masks(n, c, name, L, S):
    """attention mask and padding mask of one attention"""
    heads = [max(c["B"], 1) * c["H"]] if c[f"{name}_mask"].endswith("3") else []
    mask = n.mask(c[f"{name}_mask"], *heads, L, S)
    return mask, n.mask(c[f"{name}_padding"], *([c["B"], S] if c["B"] else [S]))


def encoder_layer(c):
    return nn.TransformerEncoderLayer(c["C"], c["H"], **options(c))


def decoder_layer(c):
    return nn.TransformerDecoderLayer(c["C"], c["H"], **options(c))


def norm(c):
    return nn.LayerNorm(c["C"], eps=c["eps"], bias=c["bias"]) if c["norm"] else None


def encoder(c):
    return nn.TransformerEncoder(encoder_layer(c), c["layers"], norm(c), enable_nested_tensor=False)


def decoder(c):
    return nn.TransformerDecoder(decoder_layer(c), c["layers"], norm(c))


def of_source(make, mask_name):
    def run(c, dtype):
        n, m = Numbers(c["pool"], dtype), make(c).to(dtype)
        src = sequence(n, c, c["S"])
        n.fill(m)
        mask, padding = masks(n, c, "src", c["S"], c["S"])
        y = m(src, **{mask_name: mask}, src_key_padding_mask=padding, is_causal=c["src_is_causal"])
        return results(n, [y], [src, *floats(mask, padding), *m.parameters()])
    return run


def of_both(make):
    def run(c, dtype):
        n, m, S, T = Numbers(c["pool"], dtype), make(c).to(dtype), c["S"], c["T"]
        tgt, memory = sequence(n, c, T), sequence(n, c, S)
        n.fill(m)
        (tgt_mask, tgt_padding), (memory_mask, memory_padding) = masks(n, c, "tgt", T, T), masks(n, c, "memory", T, S)
        y = m(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_padding, memory_key_padding_mask=memory_padding,
              tgt_is_causal=c["tgt_is_causal"], memory_is_causal=c["memory_is_causal"])
        return results(n, [y], [tgt, memory, *floats(tgt_mask, tgt_padding, memory_mask, memory_padding), *m.parameters()])
    return run


def transformer(c, dtype):
    n, S, T = Numbers(c["pool"], dtype), c["S"], c["T"]
    custom = {f"custom_{name}": make(c) for name, make in (("encoder", encoder), ("decoder", decoder)) if c["custom"] in (name, "both")}
    m = nn.Transformer(c["C"], c["H"], num_encoder_layers=1, num_decoder_layers=1, **options(c), **custom).to(dtype)
    src, tgt = sequence(n, c, S), sequence(n, c, T)
    n.fill(m)
    (src_mask, src_padding), (tgt_mask, tgt_padding), (memory_mask, memory_padding) = masks(n, c, "src", S, S), masks(n, c, "tgt", T, T), masks(n, c, "memory", T, S)
    y = m(src, tgt, src_mask=src_mask, tgt_mask=tgt_mask, memory_mask=memory_mask, src_key_padding_mask=src_padding, tgt_key_padding_mask=tgt_padding,
          memory_key_padding_mask=memory_padding, src_is_causal=c["src_is_causal"], tgt_is_causal=c["tgt_is_causal"], memory_is_causal=c["memory_is_causal"])
    return results(n, [y], [src, tgt, *floats(src_mask, src_padding, tgt_mask, tgt_padding, memory_mask, memory_padding), *m.parameters()])


def draw_layer(*names, stack=False, custom=False):
    def make():
        H, width = draw.choice([(1, 4), (2, 2), (2, 3)])
        c = dict(C=H * width, H=H, F=draw.choice([1, 3, 5]), B=draw.choice([0, 1, 2]), S=draw.choice([1, 2, 3, 4]), T=draw.choice([1, 2, 3]),
                 activation=draw.choice(["relu", "gelu", "callable"]), eps=draw.choice([1e-5, 1e-2]), batch_first=draw.random() < 0.6, norm_first=draw.random() < 0.5,
                 bias=draw.random() < 0.7)
        if stack:
            c |= dict(layers=draw.choice([1, 2]), norm=draw.random() < 0.5)
        if custom:
            c["custom"] = draw.choice(["none", "none", "encoder", "decoder", "both"])
        for name in names:
            mask = draw.choice(["none", "bool2", "bool3", "float2", "float3", "causal", "causal_float"])
            c |= {f"{name}_mask": mask, f"{name}_padding": draw.choice(["none", "bool", "float"]), f"{name}_is_causal": mask.startswith("causal") and draw.random() < 0.6}
        return c
    return make


def draw_scaled_dot_product():
    D, H, G = draw.choice([1, 2, 3, 5]), draw.choice([2, 4]), None
    gqa = draw.random() < 0.4
    G = draw.choice([1, 2]) if gqa else H
    causal = draw.random() < 0.3
    mask = "none" if causal else draw.choice(["none", "bool", "float", "bool", "float"])
    return dict(B=draw.choice([0, 1, 2]), H=H, G=G, L=draw.choice([1, 2, 3, 5]), S=draw.choice([1, 2, 3, 4]), D=D, E=draw.choice([1, 2, 3]), attn_mask=mask,
                mask_shape=draw.choice(["full", "rows", "keys"]), is_causal=causal, scale=draw.choice([0, 0, 0.3]), enable_gqa=gqa)


def draw_attention():
    H, width = draw.choice([(1, 3), (2, 2), (2, 3), (3, 2), (4, 1)])
    E, same = H * width, draw.choice(["all", "kv", "none"])
    L, extra = draw.choice([1, 2, 3, 4]), draw.random() < 0.4
    S = L if same == "all" else draw.choice([1, 2, 3, 5])
    kdim = vdim = 0
    if same == "kv" and draw.random() < 0.4:
        kdim = vdim = draw.choice([1, 5])
    elif same == "none" and draw.random() < 0.5:
        kdim, vdim = draw.choice([(1, 5), (5, 0), (0, 1)])
    mask = draw.choice(["none", "bool2", "bool3", "float2", "float3", "causal", "causal_float"])
    # with the hint PyTorch lets no query see the keys that add_bias_kv and add_zero_attn append, if it needs no weights
    hint = mask.startswith("causal") and not extra and draw.random() < 0.6
    return dict(E=E, H=H, B=draw.choice([0, 1, 2]), L=L, S=S, same=same, bias=draw.random() < 0.7, add_bias_kv=extra and draw.random() < 0.6,
                add_zero_attn=extra and draw.random() < 0.6, kdim=kdim, vdim=vdim, batch_first=draw.random() < 0.5, key_padding_mask=draw.choice(["none", "bool", "float"]),
                attn_mask=mask, need_weights=draw.random() < 0.7, average=draw.random() < 0.5, is_causal=hint)


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def main():
    write("attention", (("scaled_dot_product_attention", scaled_dot_product, draw_scaled_dot_product, 60), ("MultiheadAttention", attention, draw_attention, 150)), {})
    written = {  # PyTorch's text and keys of a model of each kind
        "TransformerEncoderLayer": encoder_layer, "TransformerDecoderLayer": decoder_layer, "TransformerEncoder": encoder, "TransformerDecoder": decoder}
    c = dict(C=4, H=2, F=3, activation="gelu", eps=1e-6, batch_first=True, norm_first=True, bias=True, layers=2, norm=True)
    models = {name: make(c) for name, make in written.items()} | {"Transformer": nn.Transformer(4, 2, 1, 2, **options(c | {"bias": False}))}
    metadata = {name: str(m) for name, m in models.items()} | {f"{name}.keys": "\n".join(m.state_dict()) for name, m in models.items()}
    write("transformer_layers", (("TransformerEncoderLayer", of_source(encoder_layer, "src_mask"), draw_layer("src"), 50),
                                 ("TransformerDecoderLayer", of_both(decoder_layer), draw_layer("tgt", "memory"), 50)), {})
    write("transformer", (("TransformerEncoder", of_source(encoder, "mask"), draw_layer("src", stack=True), 40),
                          ("TransformerDecoder", of_both(decoder), draw_layer("tgt", "memory", stack=True), 40),
                          ("Transformer", transformer, draw_layer("src", "tgt", "memory", stack=True, custom=True), 45)), metadata)


def write(name, kinds, metadata):
    files, lines = {"f64": {"pool": POOL}, "f32": {}}, []
    for op, evaluate, make, count in kinds:
        seen, again = {}, 0
        for i in range(count):
            c = make() | {"pool": draw.randrange(len(POOL))}
            while (values := both(evaluate, c)) is None:
                c["pool"] = draw.randrange(len(POOL))
                again += 1
            for key, value in c.items():
                if key != "pool":
                    seen.setdefault(key, {}).setdefault(value, 0)
                    seen[key][value] += 1
            for tensors, y in zip(files.values(), values):
                assert y.isfinite().all(), (op, c)
                tensors[f"{op}.{i}"] = y
            lines.append(" ".join([f"{op}.{i}", op, *(f"{k}={text(v)}" for k, v in c.items())]))
        print(f"{op}: {count} cases, {again} drawn again")
        assert all(n >= 2 for values in seen.values() for n in values.values()), seen
    for suffix, tensors in files.items():
        save(f"{name}_{suffix}.safetensors", tensors, metadata if suffix == "f64" else None)
    save_text(f"{name}.txt", "\n".join(["# CASE OP KEY=VALUE …   (see attention.py)", *lines]) + "\n")


if __name__ == "__main__":
    main()
