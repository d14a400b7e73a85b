#!/usr/bin/env python3
"""Random cases of every operation in slope and in PyTorch: values and gradients, over shapes, views, dtypes, options and edge values.

    compare.py PROGRAM [--cases 15000] [--seed 1] [--only OP] [--plant]

PROGRAM is build/tests/compare/compare_cases. Gradients are taken twice, by kernel and by formula (create_graph). A difference that no line of reasons.py
explains is printed, and the exit code is 1. --plant makes the largest element of every tensor 1 % larger, to show what would be seen. Without PyTorch it says so
and ends with 77 (skipped)."""
import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import operations
from reasons import reasons_of, same


class Draw:
    """Draws a case; `mode` says how extreme its numbers are."""

    def __init__(self, seed):
        self.r, self.g = random.Random(seed), torch.Generator().manual_seed(seed)
        self.dtype = self.one(torch.float32, torch.float64)
        self.mode = self.one("plain", "plain", "edges", "edges", "ties", "large", "small")
        self.layout = self.one("contiguous", "transposed", "sliced", "offset", "expanded")

    def one(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def size(self):
        return self.one(0, 1, 5, 7, 17) if self.chance(0.15) else self.one(1, 2, 3, 4)

    def sizes(self, n):
        return [self.size() for _ in range(n)]

    def shape(self, least=0, most=4):
        return self.sizes(self.r.randint(least, most))

    def dim(self, rank):
        return self.r.randint(-max(rank, 1), max(rank, 1) - 1)

    def dims(self, rank):  # some, each once, perhaps none
        return [d - rank * self.one(0, 1) for d in self.r.sample(range(rank), self.r.randint(0, rank))]

    def broadcast(self, shape):  # one that broadcasts with it
        return [1 if self.chance(0.2) else n for n in shape[self.r.randint(0, len(shape)) * self.one(0, 1):]]

    def floats(self, shape, low=None, high=None):
        x = torch.randn(shape, generator=self.g) * 2 if low is None else torch.rand(shape, generator=self.g) * (high - low) + low
        x = x.to(self.dtype).reshape(-1)
        big, tiny = (1e20, 1e-40) if self.dtype == torch.float32 else (1e100, 1e-310)
        x *= {"large": self.one(1e3, 1e10, big), "small": self.one(1e-3, 1e-10, 1 / big)}.get(self.mode, 1)
        for _ in range(self.r.randint(0, 3) * (x.numel() > 0)):
            at = self.r.randrange(x.numel())
            if self.mode == "ties":
                x[at] = x[self.r.randrange(x.numel())]
            if self.mode == "edges":
                x[at] = self.one(0.0, -0.0, 0.0, 1.0, torch.inf, -torch.inf, torch.nan, big, -big, tiny, -tiny, 1 / big, 100.0, -100.0)
        return self.spread(x.reshape(shape))

    def integers(self, shape, low=-5, high=6):
        return self.spread(torch.randint(low, high, shape, generator=self.g))

    def bools(self, shape):
        return self.integers(shape, 0, 2).bool()

    def mixed(self, shape):
        return self.one(self.floats, self.floats, self.floats, self.integers, self.bools)(shape)

    def spread(self, x):  # with the layout "expanded" all slices are the first
        return x[:1].expand(x.shape).contiguous() if self.layout == "expanded" and x.dim() and x.shape[0] else x


class Case:
    def __init__(self, number, op, draw):
        self.op, self.draw, self.name, self.cotangents = op, draw, f"c{number}", {}
        self.xs, self.a = operations.TABLE[op][1](draw)
        try:
            self.theirs, self.refusal = self.evaluate(), ""
        except (RuntimeError, IndexError, ValueError, TypeError) as refusal:
            self.theirs, self.refusal = {}, str(refusal).split("\n")[0]

    def evaluate(self, change=lambda x: x):
        """PyTorch's outputs and gradients, of changed inputs."""
        xs = [change(x).clone().requires_grad_() if x.is_floating_point() else x for x in self.xs]
        ys = operations.TABLE[self.op][0](xs, self.a)
        ys = list(ys) if isinstance(ys, tuple) else [ys]
        leaves, wanted = [x for x in xs if x.requires_grad], {k: y for k, y in enumerate(ys) if y.requires_grad}
        for k, y in wanted.items():
            self.cotangents.setdefault(k, torch.randn(y.shape, generator=torch.Generator().manual_seed(k)).to(y.dtype))
        gs = [self.cotangents[k].to(y.dtype) for k, y in wanted.items()]
        grads = torch.autograd.grad(list(wanted.values()), leaves, gs, allow_unused=True) if wanted else []
        grads = {k: torch.zeros_like(x) if g is None else g for k, (x, g) in enumerate(zip(leaves, grads))}
        return {f"output{k}": y.detach() for k, y in enumerate(ys)} | {f"{way}{k}": g for k, g in grads.items() for way in ("kernel", "formula")}

    def line(self):
        text = lambda v: str(v).lower() if isinstance(v, bool) else f"[{','.join(map(str, v))}]" if isinstance(v, (list, tuple)) else str(v)
        return " ".join([self.name, self.op, f"layout={self.draw.layout}"] + [f"{k}={text(v)}" for k, v in self.a.items()])

    def tensors(self):
        named = {f"input{k}": x for k, x in enumerate(self.xs)} | {f"cotangent{k}": g for k, g in self.cotangents.items()}
        return {f"{self.name}/{k}": x.contiguous() for k, x in named.items()}

    def differences(self, ours, refused):
        """(what, description, slope's, PyTorch's) for each tensor that differs."""
        if bool(refused) != bool(self.refusal):
            yield "refusal", f"slope: {refused or 'none'}, PyTorch: {self.refusal or 'none'}", None, None
            return
        for what, b in self.theirs.items():
            a = ours.get(what)
            if a is None or a.shape != b.shape or a.dtype != b.dtype:
                yield what, f"{a if a is None else (a.dtype, tuple(a.shape))}, PyTorch {(b.dtype, tuple(b.shape))}", a, b
            elif (wrong := ~same(a, b)).any():
                yield what, f"{a[wrong][0].item():.9g}, PyTorch {b[wrong][0].item():.9g}", a, b


def run(program, cases):
    """slope's tensors and refusals, by case."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "cases.txt").write_text("\n".join(c.line() for c in cases) + "\n", encoding="utf-8")
        save_file({k: x for c in cases for k, x in c.tensors().items()}, folder / "inputs.safetensors")
        subprocess.run([program, folder], check=True)
        ours = collections.defaultdict(dict)
        for key, x in load_file(folder / "results.safetensors").items():
            name, what = key.split("/")
            ours[name][what] = x
        return ours, dict(line.split(" ", 1) for line in (folder / "refused.txt").read_text(encoding="utf-8").splitlines())


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("program")
    p.add_argument("--cases", type=int, default=15000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--plant", action="store_true")
    o = p.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    names = [n for n in operations.TABLE if o.only in ("", n)]
    cases = [Case(k, names[k % len(names)], Draw(o.seed * 1_000_000 + k)) for k in range(o.cases)]
    ours, refused = run(o.program, cases)
    left, explained, reasons = 0, 0, collections.Counter()
    for c in cases:
        for x in (x for x in ours[c.name].values() if o.plant and x.is_floating_point() and x.numel()):
            x.view(-1)[x.abs().argmax()] *= 1.01
        for what, words, a, b in c.differences(ours[c.name], refused.get(c.name)):
            if found := reasons_of(c, what, a, b):
                explained += 1
                reasons.update(found)
            else:
                left += 1
                print(f"{c.line()}  {what}: {words}\n    " + " ".join(str(x.tolist()) for x in c.xs)[:300])
    for why, count in reasons.most_common():
        print(f"{count:6}  {why}")
    print(f"{o.cases} cases of {len(names)} operations, seed {o.seed}: {left} differences without a reason, {explained} with")
    return left > 0


if __name__ == "__main__":
    sys.exit(main())
