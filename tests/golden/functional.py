"""torch.autograd.functional on a few functions: outputs, vjp, jvp, jacobian and, for losses, hessian, hvp and vhp. Writes functional.safetensors.

Tensors are named CASE.SEED/WHAT0, CASE.SEED/WHAT1, …: `input`, `dx` (as the inputs), `u` (as the outputs), `output`, `vjp`, `jvp`; `jacobian` and `hessian` are
the blocks [output][input] row by row. All are f64. The functions stand under the same names in tests/autograd/functional_test.cpp.
"""
import torch
import torch.autograd.functional as AF
import torch.nn.functional as F

from common import save


def rosenbrock(x):
    a, b = x[0:3], x[1:4]
    return (100 * (b - a * a) ** 2 + (1 - a) ** 2).sum()


TARGET = torch.tensor([0, 2, 1])
FUNCTIONS = {  # name: (function, shapes of its inputs)
    "product": (lambda a, b: a * b, [(3,), (2, 3)]),
    "matmul": (lambda a, b: a @ b, [(2, 3), (3, 2)]),
    "softmax": (lambda x: x.softmax(-1), [(2, 4)]),
    "log_softmax": (lambda x: x.log_softmax(0), [(3, 2)]),
    "two_outputs": (lambda a, b: (a.sin() * b, b.exp()), [(3,), (3,)]),
    "tanh_mlp": (lambda x, w, v: (x @ w).tanh() @ v, [(2, 3), (3, 4), (4, 2)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), [(2, 4), (4,), (4,)]),
    "gelu": (lambda x: F.gelu(x), [(5,)]),
    "cumsum": (lambda x: (x * x).cumsum(1), [(2, 3)]),
    "logsumexp": (lambda x: x.logsumexp(1), [(2, 4)]),
    "attention": (lambda q, k, v: (q @ k.transpose(-1, -2) / 2).softmax(-1) @ v, [(2, 4), (3, 4), (3, 2)]),
    "constant": (lambda x: (x * 3, torch.ones(2, dtype=torch.float64)), [(2,)]),
    "sum_of_cubes": (lambda x: (x * x * x).sum(), [(2, 2)]),
    "quadratic": (lambda x, a: ((x @ a) * x).sum(), [(2, 3), (3, 3)]),
    "rosenbrock": (rosenbrock, [(4,)]),
    "cross_entropy": (lambda x, w: F.cross_entropy(x @ w, TARGET), [(3, 2), (2, 3)]),
    "norm": (lambda x: x.norm(), [(2, 3)]),
    "mixed": (lambda a, b: (a.sin() * b.exp()).sum() + b.prod(), [(3,), (3,)]),
}


def tuple_of(x):
    return x if isinstance(x, tuple) else (x,)


def main():
    tensors = {}
    for name, (f, shapes) in FUNCTIONS.items():
        for seed in range(2):
            g = torch.Generator().manual_seed(1000 * seed + len(name))
            normal = lambda shape: torch.randn(shape, generator=g, dtype=torch.float64)
            x, dx = tuple(normal(s) for s in shapes), tuple(normal(s) for s in shapes)
            outputs = tuple_of(f(*x))
            u = tuple(normal(y.shape) for y in outputs)

            def put(what, values):
                for i, value in enumerate(tuple_of(values)):
                    tensors[f"{name}.{seed}/{what}{i}"] = value

            blocks = lambda rows: tuple(b for row in rows for b in row)
            put("input", x), put("dx", dx), put("u", u), put("output", outputs)
            many = lambda *inputs: tuple_of(f(*inputs))
            put("vjp", AF.vjp(many, x, u)[1])
            put("jvp", AF.jvp(many, x, dx)[1])
            put("jacobian", blocks(AF.jacobian(many, x)))
            if len(outputs) == 1 and outputs[0].numel() == 1:
                put("hessian", blocks(AF.hessian(f, x)))
                put("hvp", AF.hvp(f, x, dx)[1])
                put("vhp", AF.vhp(f, x, dx)[1])
    save("functional.safetensors", tensors)


main()
