"""The single operations of tools/bench/ops.cpp in PyTorch, on (8192, 512) floats: forward, and backward to every floating-point input."""
import torch
from torch.nn import functional as F

N, C = 8192, 512


def one():
    return [torch.randn(N, C)]


def two():
    return [torch.randn(N, C), torch.randn(N, C)]


OPS = {
    "softmax": (one, lambda x: x.softmax(-1)),
    "layer_norm": (lambda: [torch.randn(N, C), torch.randn(C), torch.randn(C)], lambda x, w, b: F.layer_norm(x, (C,), w, b)),
    "gelu_erf": (one, F.gelu),
    "gelu_tanh": (one, lambda x: F.gelu(x, approximate="tanh")),
    "tanh": (one, torch.tanh),
    "exp": (one, torch.exp),
    "relu": (one, torch.relu),
    "add": (two, torch.add),
    "mul": (two, torch.mul),
    "dropout": (one, lambda x: F.dropout(x, 0.1)),
    "cross_entropy": (lambda: [torch.randn(N, C), torch.randint(C, (N,))], F.cross_entropy),
    "sum_dim0": (one, lambda x: x.sum(0)),
    "sum_dim1": (one, lambda x: x.sum(1)),
    "transposed_copy": (one, lambda x: x.t().contiguous()),
    "embedding": (lambda: [torch.randint(10000, (N,)), torch.randn(10000, C)], F.embedding),
}


def step(name):
    make, forward = OPS[name]
    inputs = [x.requires_grad_() if x.is_floating_point() else x for x in make()]
    gradient = torch.randn(forward(*inputs).shape)

    def run():
        forward(*inputs).backward(gradient)
        for x in inputs:
            x.grad = None
        return 0.0

    return run
