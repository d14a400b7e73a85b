"""Facts about initial values (no random numbers): for each function and shape, fan in and fan out and the bound or deviation PyTorch uses.

init.json: "functions": [{"function", "shape", "fan_in", "fan_out", settings…, "bound" (uniform in [-bound, bound]) or "std" (normal)}],
"layers": what a new layer's parameters are drawn from: [{"layer", "parameter", "shape", "bound" | "std" | "value"}].
Each figure is checked here against what PyTorch draws in 200,000 numbers.
"""
import math

import torch
from torch import nn

from common import save_json


def fans(shape):
    return nn.init._calculate_fan_in_and_fan_out(torch.empty(shape))


def check(draw, bound=None, std=None):
    values = torch.cat([draw().flatten() for _ in range(max(1, 200_000 // draw().numel()))])
    expected = bound / math.sqrt(3) if std is None else std
    assert abs(values.std().item() / expected - 1) < 0.02 and (bound is None or 0.995 * bound < values.abs().max().item() <= bound * (1 + 1e-6))


def functions():
    for shape in ((24, 16), (7853, 256), (8, 4, 3), (16, 3, 5, 5)):
        fan_in, fan_out = fans(shape)
        facts = {"shape": list(shape), "fan_in": fan_in, "fan_out": fan_out}
        for gain in (1.0, 0.5):
            yield facts | {"function": "xavier_uniform", "gain": gain, "bound": gain * math.sqrt(6 / (fan_in + fan_out))}
            yield facts | {"function": "xavier_normal", "gain": gain, "std": gain * math.sqrt(2 / (fan_in + fan_out))}
        for mode, fan in (("fan_in", fan_in), ("fan_out", fan_out)):
            for nonlinearity, a, gain in (("relu", 0.0, math.sqrt(2)), ("leaky_relu", math.sqrt(5), math.sqrt(2 / 6)), ("linear", 0.0, 1.0), ("tanh", 0.0, 5 / 3)):
                settings = {"mode": mode, "nonlinearity": nonlinearity, "a": a}
                yield facts | settings | {"function": "kaiming_uniform", "bound": gain * math.sqrt(3 / fan)}
                yield facts | settings | {"function": "kaiming_normal", "std": gain / math.sqrt(fan)}


def draw_of(fact):
    settings = {k: fact[k] for k in ("gain", "mode", "nonlinearity", "a") if k in fact}
    return lambda: getattr(nn.init, fact["function"] + "_")(torch.empty(fact["shape"]), **settings)


LAYERS = [  # what, how it is made, parameter, figure
    ("Linear(16, 24)", lambda: nn.Linear(16, 24), "weight", {"bound": 1 / math.sqrt(16)}),
    ("Linear(16, 24)", lambda: nn.Linear(16, 24), "bias", {"bound": 1 / math.sqrt(16)}),
    ("Embedding(50, 8)", lambda: nn.Embedding(50, 8), "weight", {"std": 1.0}),
    ("MultiheadAttention(16, 4)", lambda: nn.MultiheadAttention(16, 4), "in_proj_weight", {"bound": math.sqrt(6 / (16 + 48))}),
    ("MultiheadAttention(16, 4)", lambda: nn.MultiheadAttention(16, 4), "in_proj_bias", {"value": 0.0}),
    ("MultiheadAttention(16, 4)", lambda: nn.MultiheadAttention(16, 4), "out_proj.weight", {"bound": 1 / math.sqrt(16)}),
    ("MultiheadAttention(16, 4)", lambda: nn.MultiheadAttention(16, 4), "out_proj.bias", {"value": 0.0}),
    ("LayerNorm(8)", lambda: nn.LayerNorm(8), "weight", {"value": 1.0}),
    ("LayerNorm(8)", lambda: nn.LayerNorm(8), "bias", {"value": 0.0}),
    ("RMSNorm(8)", lambda: nn.RMSNorm(8), "weight", {"value": 1.0}),
]


def layers():
    for name, make, parameter, figure in LAYERS:
        def draw():
            return make().get_parameter(parameter).detach()
        if "value" in figure:
            assert (draw() == figure["value"]).all()
        else:
            check(draw, **figure)
        yield {"layer": name, "parameter": parameter, "shape": list(draw().shape)} | figure


if __name__ == "__main__":
    torch.manual_seed(0)
    found = list(functions())
    for fact in found:
        check(draw_of(fact), fact.get("bound"), fact.get("std"))
    save_json("init.json", {"functions": found, "layers": list(layers())})
