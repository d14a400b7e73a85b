"""Golden values and gradients of the layers that every model has, at awkward shapes: linear layers, norms, dropouts where nothing is drawn, sequences,
activations.
Writes basics.txt, basics_f64.safetensors and basics_f32.safetensors, in the form of modules.py."""
from torch import nn

import modules
from modules import layer, n

modules.cases.clear()

for label, sizes, shape, bias in (("primes", (5, 7), (2, 3, 5), True), ("no_bias", (3, 2), (7, 3), False), ("one", (1, 1), (1,), True), ("empty", (3, 5), (0, 3), True), ("vector", (5, 3), (5,), False)):
    layer(f"Linear.{label}", lambda s=sizes, b=bias: nn.Linear(*s, bias=b), n(*shape), sizes=sizes, bias=bias)
for label, sizes, shape, extra in (("primes", (7,), (2, 3, 7), {}), ("two_dims", (3, 5), (2, 3, 5), {"eps": 1e-3}), ("one", (1,), (4, 1), {}), ("empty", (3,), (0, 3), {}),
                                   ("plain", (5,), (2, 5), {"elementwise_affine": False})):
    layer(f"LayerNorm.{label}", lambda s=sizes, e=extra: nn.LayerNorm(s, **e), n(*shape), sizes=sizes, **extra)
    layer(f"RMSNorm.{label}", lambda s=sizes, e=extra: nn.RMSNorm(s, **e), n(*shape), sizes=sizes, **extra)
layer("LayerNorm.no_bias", lambda: nn.LayerNorm(3, bias=False), n(2, 3), sizes=(3,), bias=False)
for kind in (nn.Dropout, nn.Dropout1d, nn.AlphaDropout, nn.FeatureAlphaDropout):
    for label, shape, p, train in (("eval", (2, 3, 5), 0.5, False), ("keeps", (1, 7, 2), 0.0, True), ("drops", (2, 3, 1), 1.0, True), ("empty", (0, 3, 2), 0.25, False)):
        layer(f"{kind.__name__}.{label}", lambda k=kind, p=p, t=train: k(p).train(t), n(*shape), p=p, train=train)
for label, sizes, shape in (("primes", (3, 7, 5), (2, 3)), ("one", (1, 1, 1), (1, 1)), ("empty", (2, 3, 2), (0, 2)), ("positions", (5, 2, 3), (2, 3, 5))):
    layer(f"Sequential.{label}", lambda s=sizes: nn.Sequential(nn.Linear(s[0], s[1]), nn.Tanh(), nn.Linear(s[1], s[2])), n(*shape), sizes=sizes)

SHAPES = (("rank0", ()), ("one", (1,)), ("empty", (0, 3)), ("primes", (2, 7, 5)))
for label, shape in SHAPES:
    for cls in (nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ReLU6, nn.SELU, nn.Hardsigmoid, nn.Hardswish, nn.LogSigmoid, nn.Softsign, nn.Tanhshrink, nn.Mish):
        layer(f"{cls.__name__}.{label}", cls, n(*shape))
    for make, extra in ((nn.LeakyReLU, {"negative_slope": 0.2}), (nn.ELU, {"alpha": 0.5}), (nn.CELU, {"alpha": 2.0}), (nn.Hardtanh, {"min_val": -0.5, "max_val": 1.0}),
                        (nn.Hardshrink, {"lambd": 0.25}), (nn.Softshrink, {"lambd": 0.25}), (nn.Threshold, {"threshold": 0.5, "value": -2.0}), (nn.Softplus, {"beta": 2.0, "threshold": 10.0})):
        layer(f"{make.__name__}.{label}", lambda m=make, e=extra: m(**e), n(*shape), **extra)
    layer(f"RReLU.{label}", lambda: nn.RReLU(0.25, 0.5).eval(), n(*shape), lower=0.25, upper=0.5)
for make in (nn.Softmax, nn.LogSoftmax, nn.Softmin, nn.GLU):
    for label, shape, dim in (("last", (2, 3, 6), -1), ("empty", (0, 2), 1), ("two", (2,), 0), ("one_row", (1, 2, 1), 1)):
        layer(f"{make.__name__}.{label}", lambda m=make, d=dim: m(dim=d), n(*shape), dim=dim)
for label, shape, number in (("single", (1,), 1), ("empty", (0, 7), 7), ("primes", (2, 7, 5), 7)):
    layer(f"PReLU.{label}", lambda k=number: nn.PReLU(k), n(*shape), number=number)

if __name__ == "__main__":
    modules.write("basics", {})
