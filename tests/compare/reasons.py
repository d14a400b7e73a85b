"""Where slope and PyTorch may differ, and why; compare.py prints all other differences."""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def same(a, b, spread=0.0):
    """Which elements agree up to rounding and `spread`."""
    if not a.is_floating_point():
        return a == b
    relative, least = (1e-5, 1e-43) if a.dtype == torch.float32 else (1e-10, 1e-320)
    a, b = a.double(), b.double()
    largest = min(1.0, b[b.isfinite()].abs().max().item()) if b.isfinite().any() else 0.0
    return (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() <= relative * (b.abs() + 0.1 * largest) + spread + least)


def spread(c, what, dtype, change=lambda x: x):
    """How much PyTorch's results change when the inputs are rounded differently."""
    generator, width = torch.Generator().manual_seed(0), 2e-6 if dtype == torch.float32 else 1e-14
    noise = lambda x: change(x) * (1 + (torch.rand(x.shape, generator=generator, dtype=torch.float64) - 0.5).to(change(x).dtype) * width)
    exact = c.evaluate(change)[what].double()
    return 4 * sum((c.evaluate(noise)[what].double() - exact).abs().nan_to_num(0, 0, 0) for _ in range(8))


def as_precise(c, what, a, b):
    if b.dtype != torch.float32:
        return False
    y = c.evaluate(torch.Tensor.double)[what].float()
    return same(a, y) | same(a, y, spread(c, what, b.dtype, torch.Tensor.double))


def as_scaled(c, what, a, b):  # f(s x) = s f(x), each row by its own s
    s = c.xs[0].abs().amax(tuple(c.a["dim"]) or tuple(range(c.xs[0].dim())), keepdim=True)
    s = s.masked_fill(s == 0, 1)
    y = c.evaluate(lambda x: x / s)[what]
    return same(a, y * s.reshape(y.shape) if what.startswith("output") else y)


def as_rounded(c, what, a, b):
    return same(a, b, spread(c, what, b.dtype))


def as_limit(c, what, a, b):
    limits = [c.evaluate(lambda x: x.double().nan_to_num(torch.nan, large, -large))[what].to(a.dtype) for large in (1e4, 1e60, 1e150)]
    return b.isnan() & sum(same(a, y) for y in limits).bool()


def last_digits(c, what, a, b):
    factors = {"layer_norm": c.xs[1:], "rms_norm": c.xs[1:], "scaled_dot_product_attention": c.xs[1:3]}.get(c.op, c.xs)
    terms = [max(1.0, x.abs().nan_to_num(0, 0, 0).max()) for x in factors if x.is_floating_point() and x.numel()]
    y = c.evaluate(torch.Tensor.double)[what].to(b.dtype)
    return same(a, torch.where(b.isnan(), y, b), torch.tensor(terms).prod().item() * (1e-6 if b.dtype == torch.float32 else 1e-15))


def as_composed(c, what, a, b):
    with sdpa_kernel(SDPBackend.MATH):
        return same(a, c.evaluate()[what])


def in_tail(c, what, a, b):  # 1 + erf, 1 + tanh or 1 - tanh^2 near 0
    y = c.evaluate(torch.Tensor.double)[what].to(b.dtype)
    return (c.xs[0].abs() > 2) & same(a, y, 1e-6 if b.dtype == torch.float32 else 4e-15)


def of_expm1(c, what, a, b):  # g e^x below the x where 1 + y keeps digits
    right = (c.cotangents.get(0) * c.xs[0].double().exp()).to(b.dtype)
    return (not what.startswith("output")) & (c.xs[0] < -5) & same(a, right, 1e-5 if b.dtype == torch.float32 else 1e-13)


def of_terms(c, what, a, b):  # a sum over broadcast dims of g or 0
    y, g = c.evaluate(torch.Tensor.double)[what].to(b.dtype), c.cotangents.get(0)
    return not what.startswith("output") and same(a, y, g.abs().sum().item() * (2e-7 if b.dtype == torch.float32 else 4e-16))


def without_g(c, what, a, b):  # the derivative alone
    g = c.cotangents.get(0)
    return not what.startswith("output") and a.isinf() & (b / g).isinf()


def without_value(c, what, a, b):
    y = c.theirs["output0"]
    return not what.startswith("output") and y.shape == a.shape and a.isnan() & y.isnan()


def of_equals(c, what, a, b):
    x, dim = c.xs[0], c.a["dim"]
    if what.startswith("output"):
        return what == "output1" and x.gather(dim, a) == x.gather(dim, b)
    return (same(a.sum(dim), b.sum(dim)) & same((a * x).sum(dim), (b * x).sum(dim))).unsqueeze(dim)


def of_others(c, what, a, b):
    x, dim, g = c.xs[0].double(), c.a["dim"], c.cotangents[0].double()
    if what.startswith("output") or not x.dim():
        return False
    others = [torch.cat([x.narrow(dim, 0, k), x.narrow(dim, k + 1, x.shape[dim] - k - 1)], dim).prod(dim) for k in range(x.shape[dim])]
    return same(a, (torch.stack(others, dim) * (g if c.a["keepdim"] else g.unsqueeze(dim))).to(a.dtype))


def of_bools(c, *_):
    return any(x.dtype == torch.bool for x in c.xs)


def infinite(c, *_):
    return any(not x.isfinite().all() for x in c.xs)


def infinite_scores(c):
    return infinite(c) or not (c.xs[0] @ c.xs[1].mT).isfinite().all()


def equal_rows(c, *_):
    rows = c.xs[0].flatten(-len(c.a["normalized_shape"]))
    return (rows == rows[..., :1]).all(-1).any()


def few(c, *_):
    return torch.Size([c.xs[0].shape[d] for d in c.a["dim"] or range(c.xs[0].dim())]).numel() <= c.a["correction"]


# (why, for which operations or all, whether (case, what, slope's, PyTorch's) is such a difference)
OF_FORM = [
    ("bools count as 0 and 1; PyTorch refuses them", "abs neg relu sub", of_bools),
    ("of two bools the result is i64 (docs/design.md)", "add mul maximum minimum", lambda c, what, a, b: of_bools(c) and a.dtype == torch.int64 and (a.bool() == b).all()),
    ("none of a scalar is a vector of none; PyTorch gives a scalar", "topk", lambda c, *_: c.a["k"] == 0 and not c.xs[0].dim()),
    ("the largest of no sizes is 0; PyTorch refuses", "norm", lambda c, *_: c.a["p"] == torch.inf and not c.xs[0].numel()),
]
OF_VALUE = [  # of elements
    ("the first of equal elements; PyTorch takes any", "topk", of_equals),
    ("in f64 PyTorch says what slope says in f32", "", as_precise),
    ("PyTorch under- or overflows on the way; of numbers beside 1 it says what slope says", "norm std", as_scaled),
    ("the product of the others; PyTorch divides that of all", "prod", of_others),
    ("terms cancel: inputs that are rounded otherwise change PyTorch's result as much", "", as_rounded),
    ("a finite limit at an infinity, where PyTorch has nan", "", as_limit),
    ("an extreme that is nan sends its gradient there; PyTorch divides 0 by 0", "amax amin max min", lambda c, what, a, b: infinite(c) and b.isnan()),
    ("rows with an infinity hold nan (ops.h); PyTorch's have an inf or 0 in places", "var std layer_norm rms_norm norm softmax log_softmax", lambda c, what, a, b: infinite(c) and a.isnan()),
    ("an infinite weight gives inf and nan; in PyTorch all are nan", "layer_norm rms_norm", lambda c, what, a, b: any(x.isinf().any() for x in c.xs[1:]) and a.isinf() & b.isnan()),
    ("scores of inf and nan, products that overflow too: PyTorch's fused product has 0 or nan in other places", "scaled_dot_product_attention", lambda c, what, a, b: infinite_scores(c) and a.isnan() | b.isnan()),
    ("a sum that overflows on the way is inf or nan, by the order of its terms", "linear bmm matmul einsum", lambda c, what, a, b: ~a.isfinite() & ~b.isfinite()),
    ("what an ignored target hides has no part in a gradient", "cross_entropy linear_cross_entropy", lambda c, what, a, b: "ignore_index" in c.a and infinite(c) and b.isnan()),
    ("where the limit is inf, PyTorch has nan", "kl_div logsumexp binary_cross_entropy_with_logits", lambda c, what, a, b: infinite(c) and b.isnan() & (a.isinf() | (a == 0))),
    ("pow(-inf, 0.5) is inf (IEEE 754, C); PyTorch takes the square root", "pow_scalar", lambda c, what, a, b: abs(c.a["exponent"]) == 0.5 and c.xs[0].isinf()),
    ("no more elements than the correction: nan; PyTorch divides by what is not positive", "var std", few),
    ("the rest of terms that cancel, up to their last digits", "cross_entropy linear_cross_entropy layer_norm rms_norm scaled_dot_product_attention", last_digits),
    ("1 + erf, 1 + tanh, 1 - tanh^2 near 0 keep few digits, here as in PyTorch", "gelu gelu_tanh tanh", in_tail),
    ("of huge scores PyTorch's fused product overflows; composed, it says what slope says", "scaled_dot_product_attention", as_composed),
    ("a gradient that is summed over broadcast dims, up to the last digits of its terms", "add sub maximum minimum", of_terms),
    ("a derivative that overflows is inf, whatever multiplies it (ops.h)", "log sqrt rsqrt reciprocal", without_g),
    ("where the value is nan, so is the derivative; PyTorch has b x^(b-1)", "pow", without_value),
    ("where a^b is 0, so is its derivative by b, the limit; PyTorch has 0 * inf", "pow", lambda c, what, a, b: what.endswith("1") & infinite(c) & b.isnan() & a.isfinite()),
    ("the derivative of expm1 is e^x; PyTorch's, y + 1, has lost its digits", "expm1", of_expm1),
    ("a share below e^-87 is 0 (docs/design.md)", "softmax", lambda c, what, a, b: b.dtype == torch.float32 and (a == 0) & (b.abs() < 1e-36)),
    ("a row of equal elements is 0 exactly; PyTorch's mean is rounded", "layer_norm", equal_rows),
]


def reasons_of(c, what, a, b):
    """Those that together explain every element of a difference; none: it has no reason."""
    applying = lambda reasons, floating: [(why, holds) for why, ops, holds in reasons if (c.op in ops.split() if ops else floating)]
    if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
        return [why for why, holds in applying(OF_FORM, False) if holds(c, what, a, b)][:1]
    found, left = [], ~same(a, b)
    for why, holds in applying(OF_VALUE, a.is_floating_point()):
        if (left & (explained := holds(c, what, a, b))).any():
            found.append(why)
            left = left & ~torch.as_tensor(explained)
        if not left.any():
            return found
    return []
