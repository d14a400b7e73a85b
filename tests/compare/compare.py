#!/usr/bin/env python3
"""Random cases of every operation in slope and in PyTorch: values and gradients, over shapes, views, dtypes, options and edge values.

    compare.py PROGRAM [--cases 15000] [--seed 1] [--only OP] [--plant]

PROGRAM is build/tests/compare/compare_cases. Gradients are taken twice, by kernel and by formula (create_graph). A difference that no line of REASONS
explains is printed; any: exit 1. --plant makes the largest element of every tensor 1 % larger, to show what would be seen. Without PyTorch it says so
and ends with 77 (skipped)."""
import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
import operations


class Draw:
    """Draws a case; `mode` says how wild its numbers are."""

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


def evaluate(op, xs, a, cotangents, change=lambda x: x):
    """PyTorch's outputs and gradients, or its refusal."""
    xs = [change(x).clone().requires_grad_() if x.is_floating_point() else x for x in xs]
    ys = operations.TABLE[op][0](xs, a)
    ys = list(ys) if isinstance(ys, tuple) else [ys]
    leaves, wanted = [x for x in xs if x.requires_grad], {k: y for k, y in enumerate(ys) if y.requires_grad}
    for k, y in wanted.items():
        cotangents.setdefault(k, torch.randn(y.shape, generator=torch.Generator().manual_seed(k)).to(y.dtype))
    grads = torch.autograd.grad(list(wanted.values()), leaves, [cotangents[k].to(y.dtype) for k, y in wanted.items()], allow_unused=True) if wanted else []
    return {f"output{k}": y.detach() for k, y in enumerate(ys)} | {f"grad{k}": torch.zeros_like(x) if g is None else g for k, (x, g) in enumerate(zip(leaves, grads))}


def text(v):
    return str(v).lower() if isinstance(v, bool) else f"[{','.join(map(str, v))}]" if isinstance(v, (list, tuple)) else str(v)


def same(a, b, spread=0.0):
    """Which elements agree, up to rounding and `spread`."""
    if not a.is_floating_point():
        return a == b
    relative, least = (1e-5, 1e-43) if a.dtype == torch.float32 else (1e-10, 1e-320)
    a, b = a.double(), b.double()
    largest = min(1.0, b[b.isfinite()].abs().max().item()) if b.isfinite().any() else 0.0
    return (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() <= relative * (b.abs() + 0.1 * largest) + spread + least)


class Case:
    def __init__(self, number, op, draw):
        self.op, self.draw, self.name, self.cotangents = op, draw, f"c{number}", {}
        self.xs, self.a = operations.TABLE[op][1](draw)
        try:
            self.theirs, self.refusal = evaluate(op, self.xs, self.a, self.cotangents), ""
        except (RuntimeError, IndexError, ValueError, TypeError) as refusal:
            self.theirs, self.refusal = {}, str(refusal).split("\n")[0]
        self.line = " ".join([self.name, op, f"layout={draw.layout}"] + [f"{k}={text(v)}" for k, v in self.a.items()])

    def tensors(self):
        return {f"{self.name}/input{k}": x.contiguous() for k, x in enumerate(self.xs)} | {f"{self.name}/cotangent{k}": g.contiguous() for k, g in self.cotangents.items()}

    def differences(self, ours, refused):
        """(what, in words, slope's, PyTorch's) of each tensor that is not the same."""
        if bool(refused) != bool(self.refusal):
            yield "refusal", f"slope: {refused or 'none'}, PyTorch: {self.refusal or 'none'}", None, None
            return
        for key, b in {k: b for name, b in self.theirs.items() for k in (name.replace("grad", "kernel"), name.replace("grad", "formula"))}.items():
            a = ours.get(key)
            if a is None or a.shape != b.shape or a.dtype != b.dtype:
                yield key, f"{a if a is None else (a.dtype, tuple(a.shape))}, PyTorch {(b.dtype, tuple(b.shape))}", a, b
            elif (wrong := ~same(a, b)).any():
                yield key, f"{a[wrong][0].item():.9g}, PyTorch {b[wrong][0].item():.9g}", a, b

    def other(self, what, change):
        """PyTorch's result of changed inputs."""
        return evaluate(self.op, self.xs, self.a, self.cotangents, change)[what.replace("kernel", "grad").replace("formula", "grad")]


def as_precise(c, what, a, b):
    return b.dtype == torch.float32 and all_of(same(a, b) | same(a, c.other(what, torch.Tensor.double).float()))


def as_rounded(c, what, a, b):
    generator, width = torch.Generator().manual_seed(0), 2e-6 if b.dtype == torch.float32 else 1e-14
    noise = lambda x: x * (1 + (torch.rand(x.shape, generator=generator, dtype=torch.float64) - 0.5).to(x.dtype) * width)
    return all_of(same(a, b, 4 * sum((c.other(what, noise).double() - b.double()).abs().nan_to_num(0, 0, 0) for _ in range(8))))


def as_limit(c, what, a, b):
    limits = [c.other(what, lambda x: x.double().nan_to_num(torch.nan, large, -large)).to(a.dtype) for large in (1e4, 1e60, 1e150)]
    return any(all_of(same(a, b) | b.isnan() & same(a, y)) for y in limits)


def as_scaled(c, what, a, b):  # f(s x) = s f(x)
    s = c.xs[0].abs().max()
    return all_of(same(a, c.other(what, lambda x: x / s) * (s if what.startswith("output") else 1)))


def last_digits(c, what, a, b):
    terms = torch.tensor([max(1.0, x.abs().nan_to_num(0, 0, 0).max()) for x in c.xs if x.is_floating_point() and x.numel()]).prod()
    return all_of(same(a, b, terms.item() * (1e-6 if b.dtype == torch.float32 else 1e-15)))


def of_bools(c, *_):
    return any(x.dtype == torch.bool for x in c.xs)


def unfinite(c, *_):
    return any(not x.isfinite().all() for x in c.xs)


def nan_in(x):  # a difference only where x is nan
    return lambda c, what, a, b: unfinite(c) and all_of(same(a, b) | (a, b)[x].isnan())


def first_of_equals(c, what, a, b):
    return what == "output1" and all_of(c.xs[0].gather(c.a["dim"], a) == c.xs[0].gather(c.a["dim"], b))


def few(c, *_):
    dims = c.a["dim"] or range(c.xs[0].dim())
    return torch.Size([c.xs[0].shape[d] for d in dims]).numel() <= c.a["correction"]


def equal_rows(c, *_):
    rows = c.xs[0].flatten(-len(c.a["normalized_shape"]))
    return bool((rows == rows[..., :1]).all(-1).any())


def all_of(x):
    return bool(x.all())


REASONS = [  # (why they may differ, the operations, whether this is such a difference)
    ("bools count as 0 and 1; PyTorch refuses them", "abs neg relu sub", lambda c, what, a, b: what == "refusal" and of_bools(c)),
    ("of two bools the result is i64 (docs/design.md)", "add mul maximum minimum", lambda c, what, a, b: of_bools(c) and a.dtype == torch.int64 and all_of(a.bool() == b)),
    ("none of a scalar is a vector of none; PyTorch gives a scalar", "topk", lambda c, *_: c.a["k"] == 0 and not c.xs[0].dim()),
    ("the first of equal elements; PyTorch names any", "topk", first_of_equals),
    ("an extreme that is nan sends its gradient there; PyTorch divides 0 by 0", "amax amin max min", nan_in(1)),
    ("rows with an infinity hold nan (ops.h); in PyTorch's gradient not all", "var std layer_norm rms_norm norm softmax log_softmax", nan_in(0)),
    ("no more elements than the correction: nan; PyTorch divides by what is negative", "var std", few),
    ("a row of equal elements is 0 exactly; PyTorch's mean is rounded", "layer_norm", equal_rows),
    ("inf and nan in attention: PyTorch's fused product has 0 or nan in other places", "scaled_dot_product_attention", unfinite),
    ("what an ignored target hides has no part in a gradient", "cross_entropy linear_cross_entropy", lambda c, what, a, b: "ignore_index" in c.a and unfinite(c) and all_of(same(a, b) | b.isnan())),
    ("p = inf: the limit is inf, where PyTorch has nan", "kl_div", lambda c, what, a, b: all_of(same(a, b) | b.isnan() & a.isinf())),
    ("pow(-inf, 0.5) is inf (IEEE 754, C); PyTorch takes the square root", "pow_scalar", lambda c, *_: abs(c.a["exponent"]) == 0.5 and unfinite(c)),
    ("in f64 PyTorch says what slope says in f32", "", as_precise),
    ("PyTorch under- or overflows on the way; of numbers beside 1 it says what slope says", "norm std", as_scaled),
    ("terms cancel: inputs that are rounded otherwise change PyTorch's result as much", "", as_rounded),
    ("a finite limit at an infinity, where PyTorch has nan", "", as_limit),
    ("the rest of terms that cancel, up to their last digits", "cross_entropy linear_cross_entropy layer_norm", last_digits),
]


def reason(c, what, a, b):
    comparable = a is None or b is None or (a.shape == b.shape and a.is_floating_point())
    return next((why for why, ops, holds in REASONS if c.op in ops.split() and holds(c, what, a, b) or not ops and b is not None and comparable and holds(c, what, a, b)), None)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("program")
    p.add_argument("--cases", type=int, default=15000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--plant", action="store_true")
    o = p.parse_args()
    torch.set_num_threads(1)
    names = [n for n in operations.TABLE if o.only in ("", n)]
    cases = [Case(k, names[k % len(names)], Draw(o.seed * 1_000_000 + k)) for k in range(o.cases)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "cases.txt").write_text("\n".join(c.line for c in cases) + "\n", encoding="utf-8")
        save_file({k: x for c in cases for k, x in c.tensors().items()}, folder / "inputs.safetensors")
        subprocess.run([o.program, folder], check=True)
        ours, results = collections.defaultdict(dict), load_file(folder / "results.safetensors")
        refused = dict(line.split(" ", 1) for line in (folder / "refused.txt").read_text(encoding="utf-8").splitlines())
    if o.plant:
        for x in (x for x in results.values() if x.is_floating_point() and x.numel()):
            x.view(-1)[x.abs().argmax()] *= 1.01
    for key, x in results.items():
        ours[key.split("/")[0]][key.split("/")[1]] = x
    left, explained = 0, collections.Counter()
    for c in cases:
        for what, words, a, b in c.differences(ours[c.name], refused.get(c.name)):
            if why := reason(c, what, a, b):
                explained[why] += 1
            else:
                left += 1
                print(f"{c.line}  {what}: {words}\n    " + " ".join(str(x.tolist()) for x in c.xs)[:300])
    for why, count in explained.most_common():
        print(f"{count:6}  {why}")
    print(f"{o.cases} cases of {len(names)} operations, seed {o.seed}: {left} differences without a reason, {sum(explained.values())} with one")
    return left > 0


if __name__ == "__main__":
    sys.exit(main())
