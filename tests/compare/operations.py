"""What compare.py tries: for each operation, PyTorch's function of (inputs, arguments) and how to draw a case. Names and arguments are those
of tests/autograd/golden_ops.h."""
import torch
from torch.nn import functional as F

TABLE = {}
both = (False, True)


def op(name, f, draw):
    TABLE[name] = (f, draw)


def of_shape(draw, least=0, most=4):
    return lambda d: draw(d, d.shape(least, most))


def floats(low=None, high=None):
    return lambda d, shape: d.floats(shape, low, high)


def mixed(d, shape):
    return d.mixed(shape)


def tensor(make, options=lambda d, shape: {}, least=0):  # one input, and options that fit its shape
    return of_shape(lambda d, s: ([make(d, s)], options(d, s)), least)


def pair(make, second):  # two that broadcast
    return of_shape(lambda d, s: ([make(d, s), second(d, d.broadcast(s))][:: 1 if make != second else d.one(1, -1)], {}))


def dims_and(**more):
    return lambda d, s: {"dim": d.dims(len(s)), "keepdim": d.one(*both)} | {k: d.one(*v) for k, v in more.items()}


def dim_and(**more):
    return lambda d, s: {"dim": d.dim(len(s))} | {k: d.one(*v) for k, v in more.items()}


def over(f):  # an empty list of dims is all of them
    return lambda x, a: f(x[0], tuple(a["dim"]) or tuple(range(x[0].dim())), a)


# ---- elementwise
for name in ("add", "sub", "mul", "div", "maximum", "minimum"):
    op(name, lambda x, a, f=getattr(torch, name): f(*x), pair(mixed, mixed))
op("pow", lambda x, a: torch.pow(*x), pair(floats(0.2, 3), floats(-3, 3)))
op("pow_scalar", lambda x, a: x[0].pow(a["exponent"]), tensor(floats(), lambda d, s: {"exponent": d.one(0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 2.5)}))
op("where", lambda x, a: torch.where(*x), of_shape(lambda d, s: ([d.bools(d.broadcast(s)), d.mixed(s), d.mixed(d.broadcast(s))], {})))
op("masked_fill", lambda x, a: x[0].masked_fill(x[1], a["value"]),
   of_shape(lambda d, s: ([d.floats(s), d.bools(d.broadcast(s))], {"value": d.one(0.0, -2.5, -torch.inf)})))
for name in ("neg", "abs", "relu"):
    op(name, lambda x, a, f=getattr(torch, name): f(x[0]), tensor(mixed))
for name in ("exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "erf"):
    low = {"log": 0.1, "log1p": -0.9, "sqrt": 0.1, "rsqrt": 0.1}.get(name)
    op(name, lambda x, a, f=getattr(torch, name): f(x[0]), tensor(floats(low, 5)))
for name, f in {"silu": F.silu, "softplus": F.softplus, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}.items():
    op(name, lambda x, a, f=f: f(x[0]), tensor(floats()))
op("clamp", lambda x, a: x[0].clamp(*(v if v is None or x[0].is_floating_point() or v % 1 else int(v) for v in (a.get("min"), a.get("max")))),
   tensor(mixed, lambda d, s: d.one({"min": -0.5, "max": 0.5}, {"min": 0.0}, {"max": 1.0}, {"min": -1.0, "max": 1.0})))

# ---- reductions and order
for name in ("sum", "mean", "amax", "amin"):
    op(name, over(lambda x, dims, a, n=name: getattr(x, n)(dims, keepdim=a["keepdim"])), tensor(floats() if name == "mean" else mixed, dims_and()))
for name in ("var", "std"):
    op(name, over(lambda x, dims, a, n=name: getattr(x, n)(dims, correction=a["correction"], keepdim=a["keepdim"])), tensor(floats(), dims_and(correction=(1, 0, 2))))
op("logsumexp", over(lambda x, dims, a: x.logsumexp(dims, keepdim=a["keepdim"])), tensor(floats(), dims_and()))
op("norm", over(lambda x, dims, a: torch.linalg.vector_norm(x, a["p"], dims, a["keepdim"])), tensor(floats(), dims_and(p=(2.0, 1.0, torch.inf, 3.0, 2.5, 4.0, 1.5))))
op("prod", lambda x, a: x[0].prod(a["dim"], keepdim=a["keepdim"]), tensor(mixed, dim_and(keepdim=both)))
op("cumsum", lambda x, a: x[0].cumsum(a["dim"]), tensor(mixed, dim_and()))
for name in ("max", "min"):
    op(name, lambda x, a, f=getattr(torch, name): f(x[0]), tensor(mixed))
    op(name + "_dim", lambda x, a, f=getattr(torch, name): f(x[0], a["dim"], a["keepdim"]), tensor(mixed, dim_and(keepdim=both)))
for name in ("argmax", "argmin"):
    op(name, lambda x, a, f=getattr(torch, name): f(x[0], a["dim"]), tensor(floats(), dim_and()))
op("sort", lambda x, a: x[0].sort(dim=a["dim"], descending=a["descending"], stable=True), tensor(mixed, dim_and(descending=both)))
op("topk", lambda x, a: x[0].topk(a["k"], a["dim"], a["largest"]), tensor(floats(), dim_and(k=(0, 1, 2), largest=both)))
for name in ("softmax", "log_softmax"):
    op(name, lambda x, a, f=getattr(torch, name): f(x[0], a["dim"]), tensor(floats(), dim_and()))

# ---- products
op("linear", lambda x, a: F.linear(*x),
   of_shape(lambda d, s: (lambda i, o: ([d.floats(s + [i]), d.floats([o, i]), d.floats([o])][:d.one(2, 3)], {}))(*d.sizes(2)), 0, 3))
op("bmm", lambda x, a: torch.bmm(*x), lambda d: (lambda b, n, k, m: ([d.floats([b, n, k]), d.floats([b, k, m])], {}))(*d.sizes(4)))
op("matmul", lambda x, a: torch.matmul(*x), lambda d: (lambda b, n, k, m: (
    [d.floats(d.one([k], [n, k], b + [n, k])), d.floats(d.one([k], [k, m], d.broadcast(b) + [k, m]))], {}))(d.shape(0, 2), *d.sizes(3)))


def draw_einsum(d):
    equation = d.one("ij,jk->ik", "bij,bjk->bik", "i,j->ij", "ij->ji", "ij,ij->", "bqd,bkd->bqk", "ii->i", "ij->", "...i,...i->...", "ij,j", "bi,bij,bj->b")
    n = dict(zip("bijkqd", d.sizes(6)), **{".": 2})
    return [d.floats([n[c] for c in t.replace("...", ".")]) for t in equation.split("->")[0].split(",")], {"equation": equation}


op("einsum", lambda x, a: torch.einsum(a["equation"], *x), draw_einsum)

# ---- shapes
for name, f, least, options in (
    ("reshape", lambda x, a: x.reshape(a["shape"]), 0, lambda d, s: {"shape": d.one([-1], s[::-1], [1] + s, s + [1], [torch.Size(s).numel()])}),
    ("transpose", lambda x, a: x.transpose(a["dim0"], a["dim1"]), 1, lambda d, s: {"dim0": d.dim(len(s)), "dim1": d.dim(len(s))}),
    ("permute", lambda x, a: x.permute(a["dims"]), 0, lambda d, s: {"dims": d.r.sample(range(len(s)), len(s))}),
    ("expand", lambda x, a: x.expand(a["shape"]), 0, lambda d, s: {"shape": [2] * d.one(0, 1, 2) + [3 if n == 1 else n for n in s]}),
    ("narrow", lambda x, a: x.narrow(a["dim"], a["start"], a["length"]), 1, dim_and(start=(0, 1), length=(0, 1, 2))),
    ("select", lambda x, a: x.select(a["dim"], a["index"]), 1, dim_and(index=(0, 1, -1))),
    ("slice", lambda x, a: x[(slice(None),) * (a["dim"] % x.dim()) + (slice(a["start"], a["end"], a["step"]),)], 1, dim_and(start=(0, 1, -2), end=(2, 5, -1), step=(1, 2, 3))),
    ("split", lambda x, a: x.split(a["size"], a["dim"]), 1, dim_and(size=(1, 2, 3))),
    ("chunk", lambda x, a: x.chunk(a["chunks"], a["dim"]), 1, dim_and(chunks=(1, 2, 3))),
    ("unbind", lambda x, a: x.unbind(a["dim"]), 1, dim_and()),
    ("pad", lambda x, a: F.pad(x, a["pad"], value=a["value"]), 1, lambda d, s: {"pad": [d.one(0, 1, 2, -1) for _ in range(2 * d.one(1, len(s)))], "value": d.one(0.0, 1.0)}),
    ("tril", lambda x, a: x.tril(a["diagonal"]), 2, lambda d, s: {"diagonal": d.one(0, 1, -1, 5)}),
    ("triu", lambda x, a: x.triu(a["diagonal"]), 2, lambda d, s: {"diagonal": d.one(0, 1, -1, 5)}),
    ("flip", lambda x, a: x.flip(a["dims"]), 0, lambda d, s: {"dims": d.dims(len(s))}),
    ("roll", lambda x, a: x.roll(a["shifts"], a["dims"]), 1, lambda d, s: {"shifts": [d.one(-4, -1, 0, 2)], "dims": [d.dim(len(s))]}),
    ("repeat", lambda x, a: x.repeat(a["repeats"]), 0, lambda d, s: {"repeats": [d.one(1, 2, 0, 3) for _ in range(len(s) + d.one(0, 1))]}),
    ("repeat_interleave", lambda x, a: x.repeat_interleave(a["repeats"], a["dim"]), 1, dim_and(repeats=(1, 2, 3))),
):
    op(name, lambda x, a, f=f: f(x[0], a), tensor(mixed, options, least))
for name in ("cat", "stack"):
    op(name, lambda x, a, f=getattr(torch, name): f(x, a["dim"]), of_shape(lambda d, s: ([d.floats(s) for _ in range(d.one(1, 2, 3))], {"dim": d.dim(len(s))}), 1))


def picked(select=False, add=False):
    def draw(d, shape):
        shape, dim = [max(n, 1) for n in shape], d.dim(len(shape))
        index = list(shape)
        index[dim] = d.one(0, 1, 2, 5)
        return [d.floats(shape), d.integers([index[dim]] if select else index, 0, shape[dim])] + [d.floats(index)] * add, {"dim": dim}
    return of_shape(draw, 1)


op("index_select", lambda x, a: x[0].index_select(a["dim"], x[1]), picked(select=True))
op("gather", lambda x, a: x[0].gather(a["dim"], x[1]), picked())
op("scatter_add", lambda x, a: x[0].scatter_add(a["dim"], x[1], x[2]), picked(add=True))
op("embedding", lambda x, a: F.embedding(*x, **a), lambda d: (lambda v: ([d.integers(d.shape(0, 3), 0, v), d.floats([v, d.size()])], d.one({}, {"padding_idx": 0})))(d.one(1, 3, 5)))


# ---- normalisation, losses, attention
def draw_norm(parameters):
    def draw(d, shape):
        last = shape[-d.r.randint(1, len(shape)):]
        return [d.floats(shape)] + [d.floats(last) for _ in range(d.r.randint(0, parameters))], {"normalized_shape": last, "eps": d.one(1e-5, 1e-3, 1e-6)}
    return of_shape(draw, 1, 3)


op("layer_norm", lambda x, a: F.layer_norm(x[0], a["normalized_shape"], *x[1:], eps=a["eps"]), draw_norm(2))
op("rms_norm", lambda x, a: F.rms_norm(x[0], a["normalized_shape"], *x[1:], eps=a["eps"]), draw_norm(1))


def draw_classes(*inputs, smooth=True):
    def draw(d):
        rows, classes, width = d.size(), d.one(1, 2, 3, 5), d.size()
        shapes = {"x": [rows, classes], "in": [rows, width], "weight": [classes, width], "bias": [classes]}
        a = {"reduction": d.one("mean", "sum", "none")} | d.one({}, {"ignore_index": 0}) | d.one({}, {"label_smoothing": 0.1} if smooth else {})
        return [d.floats(shapes[i]) for i in inputs] + [d.integers([rows], 0, classes)], a
    return draw


op("cross_entropy", lambda x, a: F.cross_entropy(*x, **a), draw_classes("x"))
op("nll_loss", lambda x, a: F.nll_loss(*x, **a), draw_classes("x", smooth=False))
op("linear_cross_entropy", lambda x, a: F.cross_entropy(F.linear(*x[:-1]), x[-1], **a), draw_classes("in", "weight", "bias"))
for name, low, high in (("mse_loss", None, None), ("binary_cross_entropy_with_logits", 0, 1), ("kl_div", 0, 1)):
    op(name, lambda x, a, f=getattr(F, name): f(*x, **a),
       of_shape(lambda d, s, low=low, high=high: ([d.floats(s), d.floats(s, low, high)], {"reduction": d.one("mean", "sum", "none")})))


def draw_attention(d, batch):
    l, s, width, out = [max(n, 1) for n in d.sizes(4)]
    causal = l == s and d.chance(0.5)
    shapes = [batch + [l, width], batch + [s, width], batch + [s, out]]
    return [d.floats(n) for n in shapes] + [d.bools([l, s])] * (not causal and d.chance(0.4)), {"causal": causal} | d.one({}, {"scale": 0.3})


op("scaled_dot_product_attention", lambda x, a: F.scaled_dot_product_attention(*x, is_causal=a["causal"], scale=a.get("scale")), of_shape(draw_attention, 1, 2))
