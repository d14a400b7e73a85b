"""Golden file of layers: nn_f64.safetensors. For each CASE, all in f64:
  CASE/parameter/KEY, CASE/gradient/KEY   state and its gradient for the cotangent
  CASE/in0, in1, …                        inputs (i64: ids)
  CASE/out, CASE/cotangent; CASE/gradient_in0, … of floating inputs
Cases: linear, embedding (padding_idx 0), layer_norm, rms_norm, sinusoidal (out alone: 9 positions of 6 channels), and
  attention.self (causal), attention.cross (two padded keys in the second sequence; also CASE/weights (B, H, L, S) and CASE/average (B, L, S)),
  attention.plain (no bias, other keys than values): MultiheadAttention(8, 2, batch_first=True), 3 sequences of 4 queries and 5 keys.
"""
import math

import torch
from torch import nn

from common import save

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
files = {}


def spread(module):
    with torch.no_grad():
        for p in module.parameters():
            p.add_(0.1 * torch.randn_like(p))
    return module


def golden(name, module, inputs, call=None):
    leaves = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    out = (call or module)(*leaves)
    cotangent = torch.randn_like(out)
    out.backward(cotangent)
    files.update({f"{name}/parameter/{k}": v for k, v in module.state_dict().items()})
    files.update({f"{name}/gradient/{k}": p.grad for k, p in module.named_parameters()})
    files.update({f"{name}/in{i}": x for i, x in enumerate(inputs)})
    files.update({f"{name}/gradient_in{i}": x.grad for i, x in enumerate(leaves) if x.is_floating_point()})
    files.update({f"{name}/out": out, f"{name}/cotangent": cotangent})


golden("linear", nn.Linear(4, 3), [torch.randn(2, 5, 4)])
golden("embedding", nn.Embedding(6, 3, padding_idx=0), [torch.tensor([[1, 0, 5], [2, 2, 0]])])
golden("layer_norm", spread(nn.LayerNorm(6)), [torch.randn(2, 3, 6)])
golden("rms_norm", spread(nn.RMSNorm(6)), [torch.randn(2, 3, 6)])

x, memory, value = torch.randn(3, 4, 8), torch.randn(3, 5, 8), torch.randn(3, 5, 8)
future = torch.ones(4, 4, dtype=torch.bool).triu(1)
padded = torch.zeros(3, 5, dtype=torch.bool)
padded[1, 3:] = True
mha = spread(nn.MultiheadAttention(8, 2, batch_first=True))
golden("attention.self", mha, [x], lambda x: mha(x, x, x, attn_mask=future)[0])
mha.zero_grad()
golden("attention.cross", mha, [x, memory], lambda x, m: mha(x, m, m, key_padding_mask=padded)[0])
files["attention.cross/weights"] = mha(x, memory, memory, key_padding_mask=padded, average_attn_weights=False)[1]
files["attention.cross/average"] = mha(x, memory, memory, key_padding_mask=padded)[1]
plain = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
golden("attention.plain", plain, [x, memory, value], lambda q, k, v: plain(q, k, v)[0])

t, c = torch.arange(9.0)[:, None], torch.arange(0, 6, 2.0)
angle = t * torch.exp(-math.log(10000.0) * c / 6)
files["sinusoidal/out"] = torch.stack([angle.sin(), angle.cos()], -1).flatten(1)

save("nn_f64.safetensors", files)
