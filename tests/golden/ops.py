"""Golden values and gradients of every differentiable operation, with the places where conventions differ: ties, bounds, zeros, n = 1,
infinities, repeated indices, empty inputs. Writes ops_f64.safetensors, ops_f32.safetensors and ops.txt.

ops.txt has one line per case, for both files:   CASE OP [KEY=VALUE …]   separated by single blanks. Lines that begin with # are comments.
  CASE   unique name, [a-z0-9_.]+
  OP     PyTorch's name of the operation (functional form)
  VALUE  an integer, a float (also inf, -inf), true, false, a word, or a list [a,b,c] of integers, without blanks
Tensors are named CASE/input0, CASE/input1, … (in the order of OP's tensor arguments; indices and classes i64, masks bool),
CASE/output0, …; and, for each floating output, CASE/cotangent0, … (random; not a sum); for each floating input CASE/grad0, …:
the gradient of  sum_k <output_k, cotangent_k>. Cases of argmax, argmin, sort, topk and comparisons have outputs only where nothing is
differentiable. Numbering of grads and cotangents is that of inputs and outputs (so an integer input leaves a gap).
Inputs of both files are the same numbers (each is representable in f32). Outputs and gradients may hold inf and nan: those places
are PyTorch's too. For cases named *.masked_row nothing of PyTorch's is taken: y = 0 and gradient 0 for a row that sees nothing.
"""
import warnings
import zlib

import torch
from torch.nn import functional as F

from common import save, save_text

INF = float("inf")
warnings.filterwarnings("ignore", "(var|std|reduction)")  # n = 1 and kl_div's mean are meant
cases = []


def n(*shape):  # normal
    return lambda g: torch.randn(shape, generator=g)


def p(*shape):  # positive, away from 0
    return lambda g: torch.rand(shape, generator=g) + 0.5


def u(*shape):  # in (-0.9, 0.9)
    return lambda g: torch.rand(shape, generator=g) * 1.8 - 0.9


def lp(*shape):  # log-probabilities
    return lambda g: torch.randn(shape, generator=g).log_softmax(-1)


def t(*values):  # literal: floats
    return lambda g: torch.tensor(values[0] if len(values) == 1 else list(values), dtype=torch.float32)


def i(values, shape=None):  # literal: integers
    return lambda g: torch.tensor(values, dtype=torch.int64).reshape(shape if shape is not None else torch.tensor(values).shape)


def b(values):  # literal: bool
    return lambda g: torch.tensor(values, dtype=torch.bool)


def case(name, op, f, *inputs, **attributes):
    cases.append((name, op, f, inputs, attributes))


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(v) for v in value) + "]"
    return str(value)


def evaluate(name, f, inputs, dtype):
    g = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    xs = [make(g) for make in inputs]
    xs = [x.to(dtype).requires_grad_() if x.is_floating_point() else x for x in xs]
    ys = f(*xs)
    ys = list(ys) if isinstance(ys, (tuple, list)) else [ys]
    files = {f"{name}/input{k}": x for k, x in enumerate(xs)} | {f"{name}/output{k}": y for k, y in enumerate(ys)}
    cotangents = {k: torch.randn(y.shape, generator=g).to(dtype) for k, y in enumerate(ys) if y.is_floating_point()}
    chosen = {k: x for k, x in enumerate(xs) if x.is_floating_point()}
    if chosen and any(ys[k].requires_grad for k in cotangents):
        outputs = [k for k in cotangents if ys[k].requires_grad]
        grads = torch.autograd.grad([ys[k] for k in outputs], list(chosen.values()), [cotangents[k] for k in outputs], allow_unused=True)
        files |= {f"{name}/cotangent{k}": cotangents[k] for k in outputs}
        files |= {f"{name}/grad{k}": torch.zeros_like(x) if d is None else d for (k, x), d in zip(chosen.items(), grads)}
    return files


# ---- elementwise, two inputs
for op, f in {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum, "minimum": torch.minimum}.items():
    second = p if op == "div" else n
    case(f"{op}.same", op, f, n(2, 3), second(2, 3))
    case(f"{op}.broadcast", op, f, n(2, 1, 3), second(4, 1))
    case(f"{op}.rank0", op, f, n(), second(3))
    case(f"{op}.empty", op, f, n(0, 3), second(1, 3))
case("div.zero", "div", torch.div, t(1.0, -1.0, 0.0, 2.0), t(0.0, 0.0, 0.0, -4.0))
for op, f in {"maximum": torch.maximum, "minimum": torch.minimum}.items():
    case(f"{op}.ties", op, f, t(1.0, 2.0, -1.0, 0.0, 3.0), t(1.0, 0.5, -1.0, -0.0, 4.0))
    case(f"{op}.inf", op, f, t(INF, -INF, INF, 0.0), t(INF, -INF, -INF, INF))
    case(f"{op}.nan", op, f, t(float("nan"), 1.0), t(1.0, float("nan")))
case("pow.tensor", "pow", torch.pow, p(2, 3), n(2, 3))
case("pow.broadcast", "pow", torch.pow, p(2, 1), n(3))
case("pow.base_zero", "pow", torch.pow, t(0.0, 0.0, 0.0, 0.0, 2.0, -2.0), t(0.0, 1.0, 2.0, 0.5, 0.0, 2.0))
case("pow.base_negative", "pow", torch.pow, t(-2.0, -1.5, -3.0), t(3.0, 2.0, -1.0))
for e in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -0.5):
    case(f"pow.scalar_{text(e).replace('-', 'm')}", "pow_scalar", lambda x, e=e: x.pow(e), p(3), exponent=e)
for e in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0):
    case(f"pow.zero_scalar_{text(e).replace('-', 'm')}", "pow_scalar", lambda x, e=e: x.pow(e), t(0.0, 1.0), exponent=e)
case("pow.negative_scalar_3.0", "pow_scalar", lambda x: x.pow(3.0), t(-1.5, 2.0), exponent=3.0)
case("where.broadcast", "where", torch.where, b([[True], [False]]), n(2, 3), n(3))
case("where.empty", "where", torch.where, b([]), n(0), n(0))
case("where.hides_nan", "where", torch.where, b([True, False, True]), t(1.0, float("nan"), 3.0), t(float("nan"), 2.0, INF))
case("where.primes", "where", torch.where, b([[True, False, True, True, False]]), n(7, 5), n(1))
case("masked_fill.rank2", "masked_fill", lambda x, m: x.masked_fill(m, -2.5), n(2, 3), b([[True, False, True], [False, False, True]]), value=-2.5)
case("masked_fill.broadcast_inf", "masked_fill", lambda x, m: x.masked_fill(m, -INF), n(2, 2, 3), b([[True, False, False]]), value=-INF)
case("masked_fill.one", "masked_fill", lambda x, m: x.masked_fill(m, 7.0), n(1), b([True]), value=7.0)
case("masked_fill.empty", "masked_fill", lambda x, m: x.masked_fill(m, 1.0), n(0, 3), b([[True, False, True]]), value=1.0)

# ---- elementwise, one input
unary = {"neg": (torch.neg, n), "abs": (torch.abs, n), "exp": (torch.exp, n), "expm1": (torch.expm1, n), "log": (torch.log, p),
         "log1p": (torch.log1p, u), "sqrt": (torch.sqrt, p), "rsqrt": (torch.rsqrt, p), "sin": (torch.sin, n), "cos": (torch.cos, n),
         "tanh": (torch.tanh, n), "sigmoid": (torch.sigmoid, n), "relu": (torch.relu, n), "silu": (F.silu, n), "erf": (torch.erf, n),
         "softplus": (F.softplus, n), "gelu": (F.gelu, n), "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), n)}
for op, (f, make) in unary.items():
    case(f"{op}.rank2", op, f, make(2, 4))
    case(f"{op}.rank0", op, f, make())
    case(f"{op}.empty", op, f, make(2, 0))
for op in ("abs", "relu", "sqrt", "rsqrt", "log", "tanh", "sigmoid", "silu", "gelu", "gelu_tanh", "erf", "softplus", "sin", "expm1", "log1p"):
    case(f"{op}.zero", op, unary[op][0], t(0.0, -0.0))
for op in ("abs", "exp", "expm1", "tanh", "sigmoid", "relu", "silu", "erf", "softplus", "gelu", "gelu_tanh", "neg"):
    case(f"{op}.extreme", op, unary[op][0], t(-1000.0, -90.0, -30.0, -12.0, -5.0, 5.0, 12.0, 19.5, 21.0, 30.0, 80.0))
for op in ("exp", "tanh", "sigmoid", "relu", "erf", "abs", "log", "sqrt"):
    case(f"{op}.inf", op, unary[op][0], t(INF) if op in ("log", "sqrt") else t(INF, -INF))
for op in ("expm1", "log1p", "tanh", "erf", "sin"):
    case(f"{op}.tiny", op, unary[op][0], t(1e-10, -1e-7, 1e-4, -1e-3))
case("clamp.both", "clamp", lambda x: x.clamp(-0.5, 0.5), t(-1.0, -0.5, 0.0, 0.5, 1.0), min=-0.5, max=0.5)
case("clamp.min_at_bound", "clamp", lambda x: x.clamp(min=0.0), t(-1.0, 0.0, 1.0), min=0.0)
case("clamp.max_at_bound", "clamp", lambda x: x.clamp(max=0.0), t(-1.0, 0.0, 1.0), max=0.0)
case("clamp.nan", "clamp", lambda x: x.clamp(-0.5, 0.5), t(float("nan"), 2.0), min=-0.5, max=0.5)

# ---- reductions
for op, f in {"sum": torch.sum, "mean": torch.mean}.items():
    case(f"{op}.all", op, f, n(2, 3))
    case(f"{op}.dim", op, lambda x, f=f: f(x, 1), n(2, 3, 2), dim=[1])
    case(f"{op}.dims_keep", op, lambda x, f=f: f(x, (0, -1), keepdim=True), n(2, 3, 2), dim=[0, -1], keepdim=True)
    case(f"{op}.rank0", op, f, n())
    case(f"{op}.empty", op, f, n(0, 3))
    case(f"{op}.empty_dim", op, lambda x, f=f: f(x, 0), n(0, 3), dim=[0])
    case(f"{op}.empty_kept", op, lambda x, f=f: f(x, 1), n(0, 3), dim=[1])
case("prod.all", "prod", torch.prod, n(2, 3))
case("prod.dim", "prod", lambda x: x.prod(1), n(2, 3), dim=1)
case("prod.dim_keep", "prod", lambda x: x.prod(0, keepdim=True), n(2, 3), dim=0, keepdim=True)
case("prod.one_zero", "prod", torch.prod, t(2.0, 0.0, 3.0))
case("prod.two_zeros", "prod", torch.prod, t(2.0, 0.0, 0.0, 3.0))
case("prod.zeros_by_row", "prod", lambda x: x.prod(1), t([[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 2.0, 0.0]]), dim=1)
case("prod.empty", "prod", torch.prod, n(0))
case("prod.rank0", "prod", torch.prod, n())
for op in ("var", "std"):
    f = getattr(torch, op)
    case(f"{op}.all", op, lambda x, f=f: f(x), n(2, 3), correction=1)
    case(f"{op}.dim", op, lambda x, f=f: f(x, 1), n(2, 4), dim=[1], correction=1)
    case(f"{op}.population", op, lambda x, f=f: f(x, 1, correction=0), n(2, 4), dim=[1], correction=0)
    case(f"{op}.dims_keep", op, lambda x, f=f: f(x, (0, 2), keepdim=True), n(2, 3, 2), dim=[0, 2], correction=1, keepdim=True)
    case(f"{op}.correction2", op, lambda x, f=f: f(x, 0, correction=2), n(5, 2), dim=[0], correction=2)
    case(f"{op}.one", op, lambda x, f=f: f(x, 1), n(2, 1), dim=[1], correction=1)
    case(f"{op}.one_population", op, lambda x, f=f: f(x, 1, correction=0), n(2, 1), dim=[1], correction=0)
    case(f"{op}.constant", op, lambda x, f=f: f(x, 1), t([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]), dim=[1], correction=1)
    case(f"{op}.empty", op, lambda x, f=f: f(x), n(0), correction=1)
for op in ("max", "min"):
    f = getattr(torch, op)
    case(f"{op}.all", op, f, n(2, 3))
    case(f"{op}.all_ties", op, f, t([[3.0, -1.0, 3.0], [-1.0, 3.0, -1.0]]))
    case(f"{op}.all_nan", op, f, t(1.0, float("nan"), 2.0))
    case(f"{op}.rank0", op, f, n())
    case(f"{op}.dim", f"{op}_dim", lambda x, f=f: tuple(f(x, 1)), n(3, 4), dim=1)
    case(f"{op}.dim_ties", f"{op}_dim", lambda x, f=f: tuple(f(x, 1)), t([[2.0, 5.0, 5.0, 2.0], [1.0, 1.0, 1.0, 1.0]]), dim=1)
    case(f"{op}.dim0_ties_keep", f"{op}_dim", lambda x, f=f: tuple(f(x, 0, keepdim=True)), t([[2.0, 5.0], [2.0, 7.0], [1.0, 5.0]]), dim=0, keepdim=True)
    case(f"{op}.dim_nan", f"{op}_dim", lambda x, f=f: tuple(f(x, 1)), t([[1.0, float("nan"), 3.0]]), dim=1)
    case(f"{op}.dim_empty", f"{op}_dim", lambda x, f=f: tuple(f(x, 1)), n(0, 3), dim=1)
    a = getattr(torch, "a" + op)
    case(f"a{op}.dim", f"a{op}", lambda x, a=a: a(x, 1), n(2, 3, 2), dim=[1])
    case(f"a{op}.dims_keep", f"a{op}", lambda x, a=a: a(x, (0, 2), keepdim=True), n(2, 3, 2), dim=[0, 2], keepdim=True)
    case(f"a{op}.ties", f"a{op}", lambda x, a=a: a(x, 1), t([[2.0, 5.0, 5.0, 2.0], [1.0, 1.0, 1.0, 1.0]]), dim=[1])
    case(f"a{op}.all_ties", f"a{op}", lambda x, a=a: a(x, (0, 1)), t([[2.0, 5.0, 5.0], [2.0, 5.0, 2.0]]), dim=[0, 1])
    case(f"arg{op}.all_ties", f"arg{op}", getattr(torch, "arg" + op), t([[2.0, 5.0, 5.0], [2.0, 5.0, 2.0]]))
    case(f"arg{op}.dim_ties", f"arg{op}", lambda x, op=op: getattr(torch, "arg" + op)(x, 1), t([[2.0, 5.0, 5.0, 2.0], [1.0, 1.0, 1.0, 1.0]]), dim=1)
for descending in (False, True):
    word = "descending" if descending else "ascending"
    case(f"sort.{word}_ties", "sort", lambda x, d=descending: tuple(torch.sort(x, dim=-1, descending=d, stable=True)),
         t([[2.0, 5.0, -1.0, 5.0, 2.0], [0.0, -0.0, 1.0, -1.0, 0.0]]), dim=-1, descending=descending)
    case(f"sort.{word}_nan", "sort", lambda x, d=descending: tuple(torch.sort(x, dim=0, descending=d, stable=True)),
         t(1.0, float("nan"), -INF, 3.0, INF), dim=0, descending=descending)
for largest in (True, False):
    case(f"topk.{'largest' if largest else 'smallest'}", "topk", lambda x, l=largest: tuple(torch.topk(x, 3, dim=1, largest=l)), n(2, 6), k=3, dim=1, largest=largest)
case("topk.whole", "topk", lambda x: tuple(torch.topk(x, 3, dim=0)), n(3, 2), k=3, dim=0, largest=True)
case("topk.one", "topk", lambda x: tuple(torch.topk(x, 1, dim=1)), n(7, 1), k=1, dim=1, largest=True)
for name, f in (("argmax", torch.argmax), ("argmin", torch.argmin)):
    case(f"{name}.one", name, lambda x, f=f: f(x, 1), n(3, 1), dim=1)
    case(f"{name}.primes", name, lambda x, f=f: f(x, -1), n(5, 7), dim=-1)
case("cos.primes", "cos", torch.cos, n(7, 5))
case("logsumexp.dim", "logsumexp", lambda x: x.logsumexp(1), n(2, 3), dim=[1])
case("logsumexp.dims_keep", "logsumexp", lambda x: x.logsumexp((0, 2), keepdim=True), n(2, 3, 2), dim=[0, 2], keepdim=True)
case("logsumexp.extreme", "logsumexp", lambda x: x.logsumexp(1), t([[1000.0, 1000.0], [-1000.0, -1001.0], [1000.0, -1000.0]]), dim=[1])
case("logsumexp.some_minus_inf", "logsumexp", lambda x: x.logsumexp(1), t([[-INF, 1.0, 2.0], [-INF, -INF, 3.0]]), dim=[1])
case("logsumexp.all_minus_inf", "logsumexp", lambda x: x.logsumexp(1), t([[-INF, -INF], [0.0, 1.0]]), dim=[1])
case("logsumexp.plus_inf", "logsumexp", lambda x: x.logsumexp(0), t(INF, 1.0), dim=[0])
case("logsumexp.one", "logsumexp", lambda x: x.logsumexp(1), n(3, 1), dim=[1])
case("logsumexp.empty_kept", "logsumexp", lambda x: x.logsumexp(1), n(0, 3), dim=[1])
case("cumsum.dim0", "cumsum", lambda x: x.cumsum(0), n(3, 2), dim=0)
case("cumsum.last", "cumsum", lambda x: x.cumsum(-1), n(2, 2, 3), dim=-1)
case("cumsum.one", "cumsum", lambda x: x.cumsum(1), n(2, 1), dim=1)
case("cumsum.empty", "cumsum", lambda x: x.cumsum(0), n(0, 2), dim=0)
for order in (1.0, 2.0, 3.0, INF, 0.0, 0.5):
    name = text(order)
    case(f"norm.all_{name}", "norm", lambda x, o=order: torch.linalg.vector_norm(x, o), p(2, 3), p=order)
    case(f"norm.zero_{name}", "norm", lambda x, o=order: torch.linalg.vector_norm(x, o), t(0.0, 0.0), p=order)
case("norm.dim", "norm", lambda x: torch.linalg.vector_norm(x, 2.0, 1), n(2, 3), p=2.0, dim=[1])
case("norm.dim_keep_zero_row", "norm", lambda x: torch.linalg.vector_norm(x, 2.0, 1, keepdim=True), t([[0.0, 0.0], [3.0, 4.0]]), p=2.0, dim=[1], keepdim=True)
case("norm.inf_ties", "norm", lambda x: torch.linalg.vector_norm(x, INF), t(2.0, -2.0, 1.0), p=INF)
case("norm.one_with_zero", "norm", lambda x: torch.linalg.vector_norm(x, 1.0), t(0.0, -2.0, 1.0), p=1.0)
case("norm.large", "norm", lambda x: torch.linalg.vector_norm(x, 2.0), t(3e15, 4e15), p=2.0)
case("norm.empty", "norm", lambda x: torch.linalg.vector_norm(x, 2.0), n(0), p=2.0)

# ---- products
for name, left, right in (("vv", (3,), (3,)), ("mv", (2, 3), (3,)), ("vm", (3,), (3, 2)), ("mm", (2, 3), (3, 4)), ("bmm", (2, 2, 3), (2, 3, 2)),
                          ("broadcast", (2, 1, 2, 3), (3, 3, 2)), ("batch_matrix", (2, 2, 3), (3, 2)), ("matrix_batch", (2, 3), (2, 3, 2)),
                          ("batch_vector", (2, 2, 3), (3,)), ("vector_batch", (3,), (2, 3, 2)), ("inner0", (2, 0), (0, 3)), ("outer0", (0, 3), (3, 2)),
                          ("one", (1, 1), (1, 1))):
    case(f"matmul.{name}", "matmul", torch.matmul, n(*left), n(*right))
case("bmm.plain", "bmm", torch.bmm, n(2, 2, 3), n(2, 3, 4))
case("bmm.empty", "bmm", torch.bmm, n(0, 2, 3), n(0, 3, 4))
case("bmm.one", "bmm", torch.bmm, n(1, 1, 1), n(1, 1, 1))
case("bmm.primes", "bmm", torch.bmm, n(3, 5, 7), n(3, 7, 2))
case("linear.bias", "linear", F.linear, n(2, 3), n(4, 3), n(4))
case("linear.no_bias", "linear", F.linear, n(2, 2, 3), n(4, 3))
case("linear.vector", "linear", F.linear, n(3), n(2, 3), n(2))
case("linear.empty", "linear", F.linear, n(0, 3), n(2, 3), n(2))
for name, equation, shapes in (("matmul", "ij,jk->ik", [(2, 3), (3, 2)]), ("implicit", "ij,jk", [(2, 3), (3, 2)]), ("batch", "bij,bkj->bik", [(2, 2, 3), (2, 2, 3)]),
                               ("scores", "bqhd,bkhd->bhqk", [(2, 2, 2, 3), (2, 3, 2, 3)]), ("mix", "bhqk,bkhd->bqhd", [(2, 2, 2, 3), (2, 3, 2, 2)]),
                               ("outer", "i,j->ij", [(2,), (3,)]), ("dot", "i,i->", [(3,), (3,)]), ("trace", "ii->", [(3, 3)]), ("diagonal", "ii->i", [(3, 3)]),
                               ("transpose", "ij->ji", [(2, 3)]), ("sum_one_side", "ij,jk->k", [(2, 3), (3, 2)]), ("three", "ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]),
                               ("bilinear", "bi,oij,bj->bo", [(2, 2), (3, 2, 3), (2, 3)]), ("ellipsis", "...ij,...jk->...ik", [(2, 1, 2, 3), (2, 3, 2)]),
                               ("hadamard", "ij,ij->ij", [(2, 3), (2, 3)]), ("broadcast1", "ij,ij->i", [(2, 1), (2, 3)]), ("empty", "ij,jk->ik", [(0, 3), (3, 2)])):
    case(f"einsum.{name}", "einsum", lambda *xs, e=equation: torch.einsum(e, *xs), *(n(*s) for s in shapes), equation=equation)

# ---- shape and order
case("reshape.infer", "reshape", lambda x: x.reshape(3, -1), n(2, 3, 2), shape=[3, -1])
case("reshape.to_rank0", "reshape", lambda x: x.reshape(()), n(1, 1), shape=[])
case("reshape.empty", "reshape", lambda x: x.reshape(3, 0), n(0, 2), shape=[3, 0])
case("reshape.one", "reshape", lambda x: x.reshape(1, 1, -1), n(1), shape=[1, 1, -1])
case("transpose.negative", "transpose", lambda x: x.transpose(0, -1), n(2, 3, 2), dim0=0, dim1=-1)
case("transpose.one", "transpose", lambda x: x.transpose(0, 1), n(1, 1), dim0=0, dim1=1)
case("transpose.primes", "transpose", lambda x: x.transpose(1, 2), n(3, 5, 7), dim0=1, dim1=2)
case("transpose.empty", "transpose", lambda x: x.transpose(0, 1), n(0, 3), dim0=0, dim1=1)
case("permute.rank3", "permute", lambda x: x.permute(2, 0, 1), n(2, 3, 2), dims=[2, 0, 1])
case("permute.rank0", "permute", lambda x: x.permute(()), n(), dims=[])
case("permute.primes", "permute", lambda x: x.permute(1, -1, 0), n(3, 5, 7), dims=[1, -1, 0])
case("permute.empty", "permute", lambda x: x.permute(1, 0), n(0, 3), dims=[1, 0])
case("expand.new_dim", "expand", lambda x: x.expand(2, 3, -1), n(1, 2), shape=[2, 3, -1])
case("expand.rank0", "expand", lambda x: x.expand(2, 2), n(), shape=[2, 2])
case("expand.to_empty", "expand", lambda x: x.expand(0, 3), n(1, 3), shape=[0, 3])
case("narrow.middle", "narrow", lambda x: x.narrow(1, 1, 2), n(2, 4), dim=1, start=1, length=2)
case("narrow.empty", "narrow", lambda x: x.narrow(0, 1, 0), n(2, 2), dim=0, start=1, length=0)
case("narrow.one", "narrow", lambda x: x.narrow(0, 0, 1), n(1), dim=0, start=0, length=1)
case("narrow.primes", "narrow", lambda x: x.narrow(-1, 2, 5), n(3, 7), dim=-1, start=2, length=5)
case("slice.step", "slice", lambda x: x[:, 1:5:2], n(2, 5), dim=1, start=1, end=5, step=2)
case("slice.negative", "slice", lambda x: x[-3:-1], n(5, 2), dim=0, start=-3, end=-1, step=1)
case("select.last", "select", lambda x: x.select(1, -1), n(2, 3), dim=1, index=-1)
case("select.one", "select", lambda x: x.select(0, 0), n(1), dim=0, index=0)
case("select.primes", "select", lambda x: x.select(0, 3), n(5, 7), dim=0, index=3)
case("select.empty", "select", lambda x: x.select(1, 2), n(0, 3), dim=1, index=2)
case("cat.three", "cat", lambda *xs: torch.cat(xs, 1), n(2, 1), n(2, 3), n(2, 2), dim=1)
case("cat.with_empty", "cat", lambda *xs: torch.cat(xs, 0), n(0, 2), n(2, 2), dim=0)
case("cat.one", "cat", lambda *xs: torch.cat(xs, 0), n(1), dim=0)
case("cat.primes", "cat", lambda *xs: torch.cat(xs, -1), n(5, 2), n(5, 7), dim=-1)
case("stack.middle", "stack", lambda *xs: torch.stack(xs, 1), n(2, 3), n(2, 3), dim=1)
case("stack.rank0", "stack", lambda *xs: torch.stack(xs, 0), n(), n(), dim=0)
case("stack.empty", "stack", lambda *xs: torch.stack(xs, 2), n(0, 3), n(0, 3), dim=2)
case("stack.primes", "stack", lambda *xs: torch.stack(xs, -1), n(5, 7), n(5, 7), n(5, 7), dim=-1)
case("split.uneven", "split", lambda x: x.split(2, 1), n(2, 5), size=2, dim=1)
case("split.one", "split", lambda x: x.split(1, 0), n(1), size=1, dim=0)
case("split.whole", "split", lambda x: x.split(9, -1), n(3, 7), size=9, dim=-1)
case("split.empty", "split", lambda x: x.split(2, 1), n(0, 3), size=2, dim=1)
case("split.sizes", "split_sizes", lambda x: x.split([1, 0, 3], 0), n(4, 2), sizes=[1, 0, 3], dim=0)
case("chunk.uneven", "chunk", lambda x: x.chunk(3, 0), n(7), chunks=3, dim=0)
case("chunk.one", "chunk", lambda x: x.chunk(1, 0), n(1), chunks=1, dim=0)
case("chunk.primes", "chunk", lambda x: x.chunk(2, -1), n(3, 7), chunks=2, dim=-1)
case("chunk.empty", "chunk", lambda x: x.chunk(3, 1), n(0, 5), chunks=3, dim=1)
case("unbind.dim1", "unbind", lambda x: x.unbind(1), n(2, 3), dim=1)
case("unbind.one", "unbind", lambda x: x.unbind(0), n(1), dim=0)
case("unbind.primes", "unbind", lambda x: x.unbind(-1), n(5, 7), dim=-1)
case("unbind.empty", "unbind", lambda x: x.unbind(1), n(0, 3), dim=1)
case("pad.last", "pad", lambda x: F.pad(x, (1, 2)), n(2, 3), pad=[1, 2], value=0.0)
case("pad.two_dims_value", "pad", lambda x: F.pad(x, (1, 0, 2, 1), value=-1.5), n(2, 3), pad=[1, 0, 2, 1], value=-1.5)
case("pad.crop", "pad", lambda x: F.pad(x, (-1, 1)), n(2, 3), pad=[-1, 1], value=0.0)
for op in ("tril", "triu"):
    for d in (0, 1, -1, 5, -5):
        case(f"{op}.{text(d).replace('-', 'm')}", op, lambda x, op=op, d=d: getattr(torch, op)(x, d), n(3, 4), diagonal=d)
    case(f"{op}.batch", op, lambda x, op=op: getattr(torch, op)(x), n(2, 3, 2), diagonal=0)
case("flip.one", "flip", lambda x: x.flip(1), n(2, 3), dims=[1])
case("flip.two", "flip", lambda x: x.flip((0, -1)), n(2, 2, 3), dims=[0, -1])
case("flip.none", "flip", lambda x: x.flip(1), n(0, 3), dims=[1])
case("flip.primes", "flip", lambda x: x.flip((-1,)), n(5, 7), dims=[-1])
case("roll.dim", "roll", lambda x: x.roll(2, 1), n(2, 5), shifts=[2], dims=[1])
case("roll.negative_two", "roll", lambda x: x.roll((-1, 4), (0, 1)), n(3, 3), shifts=[-1, 4], dims=[0, 1])
case("roll.flat", "roll", lambda x: x.roll(2), n(2, 3), shifts=[2], dims=[])
case("roll.empty", "roll", lambda x: x.roll(2, 1), n(0, 3), shifts=[2], dims=[1])
case("repeat.new_dim", "repeat", lambda x: x.repeat(2, 1, 3), n(2, 2), repeats=[2, 1, 3])
case("repeat.zero", "repeat", lambda x: x.repeat(0, 2), n(2, 2), repeats=[0, 2])
case("repeat_interleave.dim", "repeat_interleave", lambda x: x.repeat_interleave(3, 1), n(2, 2), repeats=3, dim=1)
case("repeat_interleave.flat", "repeat_interleave", lambda x: x.repeat_interleave(2), n(2, 2), repeats=2)
case("repeat_interleave.one", "repeat_interleave", lambda x: x.repeat_interleave(1, 0), n(1), repeats=1, dim=0)
case("repeat_interleave.empty", "repeat_interleave", lambda x: x.repeat_interleave(3, 1), n(0, 5), repeats=3, dim=1)
case("repeat_interleave.counts", "repeat_interleave_counts", lambda x, r: x.repeat_interleave(r, 0), n(3, 2), i([2, 0, 1]), dim=0)
case("index_select.repeated", "index_select", lambda x, k: x.index_select(0, k), n(4, 2), i([3, 0, 3, 3]), dim=0)
case("index_select.dim1", "index_select", lambda x, k: x.index_select(1, k), n(2, 3, 2), i([2, 2]), dim=1)
case("index_select.none", "index_select", lambda x, k: x.index_select(0, k), n(3, 2), i([]), dim=0)
case("index_select.one", "index_select", lambda x, k: x.index_select(-1, k), n(7, 1), i([0, 0, 0]), dim=-1)
case("gather.repeated", "gather", lambda x, k: x.gather(1, k), n(2, 3), i([[0, 0, 2, 0], [1, 1, 1, 2]]), dim=1)
case("gather.smaller", "gather", lambda x, k: x.gather(0, k), n(3, 4), i([[2, 0], [1, 1]]), dim=0)
case("gather.one", "gather", lambda x, k: x.gather(0, k), n(1), i([0]), dim=0)
case("gather.empty", "gather", lambda x, k: x.gather(1, k), n(2, 3), i([], (2, 0)), dim=1)
case("scatter_add.duplicates", "scatter_add", lambda x, k, s: x.scatter_add(1, k, s), n(2, 3), i([[0, 0, 2, 0], [1, 1, 1, 2]]), n(2, 4), dim=1)
case("scatter_add.none", "scatter_add", lambda x, k, s: x.scatter_add(0, k, s), n(3), i([]), n(0), dim=0)
case("scatter_add.one", "scatter_add", lambda x, k, s: x.scatter_add(0, k, s), n(1), i([0]), n(1), dim=0)
case("scatter_add.primes", "scatter_add", lambda x, k, s: x.scatter_add(0, k, s), n(5, 3), i([[4, 0, 2], [4, 1, 2]]), n(2, 3), dim=0)
case("embedding.repeated", "embedding", lambda k, w: F.embedding(k, w), i([[1, 4, 1], [1, 0, 2]]), n(5, 3))
case("embedding.padding", "embedding", lambda k, w: F.embedding(k, w, padding_idx=0), i([[1, 0, 1], [0, 0, 2]]), n(4, 3), padding_idx=0)
case("embedding.rank0", "embedding", lambda k, w: F.embedding(k, w), i(2), n(4, 3))
case("embedding.none", "embedding", lambda k, w: F.embedding(k, w), i([]), n(4, 3))

# ---- softmax, norms, dropout
for op, f in {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.items():
    case(f"{op}.last", op, lambda x, f=f: f(x, -1), n(2, 3), dim=-1)
    case(f"{op}.first", op, lambda x, f=f: f(x, 0), n(3, 2), dim=0)
    case(f"{op}.extreme", op, lambda x, f=f: f(x, 1), t([[1000.0, 0.0, -1000.0], [-1e30, 1e30, 0.0]]), dim=1)
    case(f"{op}.some_minus_inf", op, lambda x, f=f: f(x, 1), t([[-INF, 1.0, 2.0], [-INF, -INF, 3.0]]), dim=1)
    case(f"{op}.all_minus_inf", op, lambda x, f=f: f(x, 1), t([[-INF, -INF], [1.0, 2.0]]), dim=1)
    case(f"{op}.one", op, lambda x, f=f: f(x, 1), n(3, 1), dim=1)
    case(f"{op}.empty", op, lambda x, f=f: f(x, 1), n(0, 3), dim=1)
    case(f"{op}.rank0", op, lambda x, f=f: f(x, 0), n(), dim=0)
case("layer_norm.affine", "layer_norm", lambda x, w, c: F.layer_norm(x, (4,), w, c), n(2, 3, 4), n(4), n(4), normalized_shape=[4], eps=1e-5)
case("layer_norm.two_dims", "layer_norm", lambda x, w, c: F.layer_norm(x, (3, 2), w, c), n(2, 3, 2), n(3, 2), n(3, 2), normalized_shape=[3, 2], eps=1e-5)
case("layer_norm.plain", "layer_norm", lambda x: F.layer_norm(x, (4,), eps=1e-3), n(2, 4), normalized_shape=[4], eps=1e-3)
case("layer_norm.no_bias", "layer_norm", lambda x, w: F.layer_norm(x, (4,), w), n(2, 4), n(4), normalized_shape=[4], eps=1e-5)
case("layer_norm.constant_row", "layer_norm", lambda x, w, c: F.layer_norm(x, (3,), w, c), t([[2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]), n(3), n(3), normalized_shape=[3], eps=1e-5)
case("layer_norm.one", "layer_norm", lambda x, w, c: F.layer_norm(x, (1,), w, c), n(3, 1), n(1), n(1), normalized_shape=[1], eps=1e-5)
case("layer_norm.empty", "layer_norm", lambda x, w, c: F.layer_norm(x, (3,), w, c), n(0, 3), n(3), n(3), normalized_shape=[3], eps=1e-5)
case("layer_norm.offset", "layer_norm", lambda x: F.layer_norm(x, (4,)), t([[1000.0, 1001.0, 1002.0, 1004.0]]), normalized_shape=[4], eps=1e-5)
case("rms_norm.weight", "rms_norm", lambda x, w: F.rms_norm(x, (4,), w, 1e-6), n(2, 3, 4), n(4), normalized_shape=[4], eps=1e-6)
case("rms_norm.default_eps", "rms_norm", lambda x, w: F.rms_norm(x, (4,), w), n(2, 4), n(4), normalized_shape=[4])
case("rms_norm.plain", "rms_norm", lambda x: F.rms_norm(x, (3, 2), eps=1e-5), n(2, 3, 2), normalized_shape=[3, 2], eps=1e-5)
case("rms_norm.zero_row", "rms_norm", lambda x, w: F.rms_norm(x, (2,), w, 1e-6), t([[0.0, 0.0], [1.0, 2.0]]), n(2), normalized_shape=[2], eps=1e-6)
case("rms_norm.empty", "rms_norm", lambda x, w: F.rms_norm(x, (3,), w, 1e-6), n(0, 3), n(3), normalized_shape=[3], eps=1e-6)
case("dropout.p0", "dropout", lambda x: F.dropout(x, 0.0, True), n(2, 3), p=0.0, train=True)
case("dropout.p1", "dropout", lambda x: F.dropout(x, 1.0, True), n(2, 3), p=1.0, train=True)
case("dropout.eval", "dropout", lambda x: F.dropout(x, 0.5, False), n(2, 3), p=0.5, train=False)
case("dropout.empty", "dropout", lambda x: F.dropout(x, 0.5, True), n(0, 3), p=0.5, train=True)

# ---- losses
classes = i([2, 0, 3])
for reduction in ("mean", "sum", "none"):
    kw = dict(reduction=reduction)
    case(f"cross_entropy.{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(3, 4), classes, **kw)
    kw = dict(ignore_index=0, reduction=reduction)
    case(f"cross_entropy.ignore_{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(3, 4), classes, **kw)
    kw = dict(label_smoothing=0.1, reduction=reduction)
    case(f"cross_entropy.smooth_{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(3, 4), classes, **kw)
    kw = dict(ignore_index=0, label_smoothing=0.2, reduction=reduction)
    case(f"cross_entropy.ignore_smooth_{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(3, 4), classes, **kw)
    kw = dict(ignore_index=0, reduction=reduction)
    case(f"cross_entropy.all_ignored_{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(2, 3), i([0, 0]), **kw)
    kw = dict(reduction=reduction)
    case(f"cross_entropy.empty_{reduction}", "cross_entropy", lambda x, y, kw=kw: F.cross_entropy(x, y, **kw), n(0, 3), i([]), **kw)
    kw = dict(ignore_index=0, label_smoothing=0.1, reduction=reduction)
    case(f"linear_cross_entropy.{reduction}", "linear_cross_entropy", lambda x, w, c, y, kw=kw: F.cross_entropy(F.linear(x, w, c), y, **kw),
         n(5, 3), n(4, 3), n(4), i([2, 0, 3, 1, 2]), **kw)
    kw = dict(ignore_index=-100, reduction=reduction)
    case(f"nll_loss.{reduction}", "nll_loss", lambda x, y, kw=kw: F.nll_loss(x, y, **kw), n(3, 4), i([2, -100, 3]), **kw)
    kw = dict(reduction=reduction)
    case(f"mse_loss.{reduction}", "mse_loss", lambda x, y, kw=kw: F.mse_loss(x, y, **kw), n(2, 3), n(2, 3), **kw)
    case(f"mse_loss.empty_{reduction}", "mse_loss", lambda x, y, kw=kw: F.mse_loss(x, y, **kw), n(0), n(0), **kw)
    case(f"binary_cross_entropy_with_logits.{reduction}", "binary_cross_entropy_with_logits",
         lambda x, y, kw=kw: F.binary_cross_entropy_with_logits(x, y, **kw), n(2, 3), t([[1.0, 0.0, 0.25], [0.0, 1.0, 0.5]]), **kw)
for reduction in ("mean", "sum", "none", "batchmean"):
    kw = dict(reduction=reduction)
    q = t([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])  # zeros in the target count nothing
    case(f"kl_div.{reduction}", "kl_div", lambda x, y, kw=kw: F.kl_div(x, y, **kw), lp(2, 3), q, **kw)
    case(f"kl_div.raw_{reduction}", "kl_div", lambda x, y, kw=kw: F.kl_div(x, y, **kw), n(2, 3), p(2, 3), **kw)
    case(f"kl_div.log_target_{reduction}", "kl_div", lambda x, y, kw=kw: F.kl_div(x, y, log_target=True, **kw), n(2, 3), n(2, 3), log_target=True, **kw)
case("cross_entropy.extreme", "cross_entropy", F.cross_entropy, t([[1000.0, -1000.0], [-1000.0, 1000.0]]), i([0, 0]), reduction="mean")
case("cross_entropy.minus_inf_other", "cross_entropy", F.cross_entropy, t([[1.0, -INF, 2.0]]), i([0]), reduction="mean")
case("cross_entropy.one_class", "cross_entropy", F.cross_entropy, n(2, 1), i([0, 0]), reduction="mean")
case("cross_entropy.no_batch", "cross_entropy", F.cross_entropy, n(4), i(2), reduction="mean")
case("linear_cross_entropy.no_bias", "linear_cross_entropy", lambda x, w, y: F.cross_entropy(F.linear(x, w), y), n(3, 2), n(4, 2), i([3, 0, 1]), reduction="mean", bias=False)
case("linear_cross_entropy.all_ignored", "linear_cross_entropy", lambda x, w, c, y: F.cross_entropy(F.linear(x, w, c), y, ignore_index=0, reduction="sum"),
     n(2, 2), n(3, 2), n(3), i([0, 0]), ignore_index=0, reduction="sum")
case("binary_cross_entropy_with_logits.extreme", "binary_cross_entropy_with_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
     t(1000.0, -1000.0, 1000.0, -1000.0, 0.0, 100.0), t(1.0, 1.0, 0.0, 0.0, 0.5, 0.25), reduction="none")

# ---- attention:  softmax(q k^T / sqrt(d) + mask) v;  a bool mask is True where attention may go


def attend(q, k, v, allowed=None, causal=False, scale=None, weights=False):
    y = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        only = torch.ones(y.shape[-2:], dtype=torch.bool).tril()
        allowed = only if allowed is None else allowed & only
    if allowed is not None:
        y = y.masked_fill(~allowed, -INF)
        w = torch.where(allowed.any(-1, keepdim=True), y, 0.0).softmax(-1) * allowed.any(-1, keepdim=True)
    else:
        w = y.softmax(-1)
    return (w @ v, w) if weights else w @ v


sdpa, qkv = "scaled_dot_product_attention", (n(1, 2, 3, 4), n(1, 2, 3, 4), n(1, 2, 3, 4))
case("attention.plain", sdpa, attend, *qkv)
case("attention.causal", sdpa, lambda q, k, v: attend(q, k, v, causal=True), *qkv, causal=True)
case("attention.scale", sdpa, lambda q, k, v: attend(q, k, v, scale=0.3), *qkv, scale=0.3)
case("attention.cross", sdpa, attend, n(2, 1, 2, 3), n(2, 1, 4, 3), n(2, 1, 4, 2))
case("attention.rank3", sdpa, attend, n(2, 2, 3), n(2, 3, 3), n(2, 3, 3))
case("attention.padding", sdpa, attend, n(2, 1, 2, 3), n(2, 1, 3, 3), n(2, 1, 3, 3), b([[[[True, True, False]]], [[[True, False, False]]]]))
case("attention.padding_causal", sdpa, lambda q, k, v, m: attend(q, k, v, m, causal=True), n(2, 1, 3, 2), n(2, 1, 3, 2), n(2, 1, 3, 2),
     b([[[[True, True, False]]], [[[True, True, True]]]]), causal=True)
case("attention.mask", sdpa, attend, n(1, 1, 2, 3), n(1, 1, 3, 3), n(1, 1, 3, 3), b([[True, False, True], [False, True, True]]))
case("attention.masked_row", sdpa, attend, n(1, 1, 2, 3), n(1, 1, 2, 3), n(1, 1, 2, 3), b([[False, False], [True, True]]))
case("attention.weights", sdpa, lambda q, k, v: attend(q, k, v, causal=True, weights=True), n(1, 2, 3, 2), n(1, 2, 3, 2), n(1, 2, 3, 2), causal=True, weights=True)
case("attention.one", sdpa, attend, n(1, 1, 1, 1), n(1, 1, 1, 1), n(1, 1, 1, 1))
case("attention.no_batch", sdpa, attend, n(0, 1, 2, 3), n(0, 1, 2, 3), n(0, 1, 2, 3))


def agrees_with_pytorch(f64):
    """attend() is written here: compare it with PyTorch's function where both define the same."""
    for name, options in (("plain", {}), ("causal", {"is_causal": True}), ("cross", {}), ("rank3", {}), ("padding", {}), ("mask", {}), ("scale", {"scale": 0.3})):
        xs = [f64[f"attention.{name}/input{k}"] for k in range(4) if f"attention.{name}/input{k}" in f64]
        torch.testing.assert_close(F.scaled_dot_product_attention(*xs, **options), f64[f"attention.{name}/output0"])


if __name__ == "__main__":
    assert len({c[0] for c in cases}) == len(cases), "names must be unique"
    files = {}
    for suffix, dtype in (("f64", torch.float64), ("f32", torch.float32)):
        files = {}
        for name, op, f, inputs, attributes in cases:
            files |= evaluate(name, f, inputs, dtype)
        if suffix == "f64":
            agrees_with_pytorch(files)
        save(f"ops_{suffix}.safetensors", files)
    lines = [" ".join([name, op, *(f"{k}={text(v)}" for k, v in attributes.items())]) for name, op, _, _, attributes in cases]
    save_text("ops.txt", "\n".join(["# CASE OP KEY=VALUE …   (see ops.py)", *lines]) + "\n")
    print(len(cases), "cases,", len({c[1] for c in cases}), "operations")
