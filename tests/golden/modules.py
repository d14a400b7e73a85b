"""Golden values and gradients of what nn has besides attention: activations, losses and layers with awkward shapes (rank 0, 1, 0, primes),
at their kinks and far out. Writes modules.txt, modules_f64.safetensors and modules_f32.safetensors, in the form that ops.py describes:

modules.txt has a line for each case:   CASE OP [KEY=VALUE …]
  OP  a function of torch.nn.functional, or a class of torch.nn whose KEYs are its constructor's arguments (`in` … are positional)
Tensors: CASE/input0, …, CASE/output0, CASE/cotangent0, CASE/grad0, …; of a class also CASE/parameter/KEY and CASE/gradient/KEY, and its printed
text in the metadata under CASE. After an embedding with max_norm, CASE/after/KEY are the parameters that it left.
"""
import math
import warnings
import zlib

import torch
from torch import nn
from torch.nn import functional as F

from common import save, save_text
from ops import b, i, lp, n, p, t, text, u

warnings.filterwarnings("ignore")
cases = []
NAMES = {f: name for name, f in vars(F).items() if callable(f) and not name.startswith("_")}


def fixed(make):
    """an input without a gradient"""
    def x(g):
        return make(g)
    x.fixed = True
    return x


def function(name, f, *inputs, **arguments):
    """f: torch.nn.functional's; arguments that are functions of the generator are tensors, given by keyword in the order written"""
    tensors = {k: fixed(v) if k in ("weight", "pos_weight") else v for k, v in arguments.items() if callable(v)}
    plain = {k: v for k, v in arguments.items() if k not in tensors}
    cases.append((name, NAMES[f], lambda dtype: None, lambda _, *x: f(*x[:len(inputs)], **dict(zip(tensors, x[len(inputs):])), **plain),
                  [*inputs, *tensors.values()], plain | ({"with": "+".join(tensors)} if tensors else {})))


def module(name, make, arguments, *inputs):
    """arguments: what make() is called with, positional ones under names of their own"""
    kind = type(make()).__name__
    cases.append((name, kind, lambda dtype: make().to(dtype), lambda m, *x: m(*x), list(inputs), arguments))


def evaluate(case, dtype):
    name, op, make, call, inputs, _ = case
    g = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    torch.manual_seed(zlib.crc32(name.encode()))
    m = make(dtype)
    if m is not None:
        with torch.no_grad():
            for q in m.parameters():  # off special values
                q.copy_((q + 0.1 * torch.randn(q.shape, generator=g)).float())
    xs = [x(g) for x in inputs]
    xs = [x.to(dtype).requires_grad_(not hasattr(make, "fixed")) if x.is_floating_point() else x for make, x in zip(inputs, xs)]
    files = {f"{name}/parameter/{k}": v.clone() for k, v in m.state_dict().items()} if m is not None else {}
    y = call(m, *xs)
    files |= {f"{name}/input{k}": x for k, x in enumerate(xs)} | {f"{name}/output0": y}
    if not y.requires_grad:
        return files, m
    cotangent = torch.randn(y.shape, generator=g).to(dtype)
    files[f"{name}/cotangent0"] = cotangent
    y.backward(cotangent)
    files |= {f"{name}/grad{k}": torch.zeros_like(x) if x.grad is None else x.grad for k, x in enumerate(xs) if x.requires_grad}
    if m is not None:
        files |= {f"{name}/gradient/{k}": q.grad for k, q in m.named_parameters()}
        if getattr(m, "max_norm", None) or isinstance(m, nn.BatchNorm1d):
            files |= {f"{name}/after/{k}": v for k, v in m.state_dict().items()}
    return files, m


# ---- activations
far = t(-1000.0, -90.0, -6.0, -3.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 30.0, 90.0)
for f, arguments in ((F.leaky_relu, {}), (F.leaky_relu, {"negative_slope": 0.25}), (F.rrelu, {}), (F.elu, {}), (F.elu, {"alpha": 0.5}), (F.selu, {}), (F.celu, {}),
                     (F.celu, {"alpha": 0.5}), (F.hardtanh, {}), (F.hardtanh, {"min_val": -0.5, "max_val": 2.0}), (F.relu6, {}), (F.hardsigmoid, {}), (F.hardswish, {}),
                     (F.hardshrink, {}), (F.hardshrink, {"lambd": 0.25}), (F.softshrink, {}), (F.softshrink, {"lambd": 0.25}), (F.threshold, {"threshold": 0.5, "value": -2.0}),
                     (F.softplus, {"beta": 2.0}), (F.softplus, {"beta": 0.5, "threshold": 1.0}), (F.logsigmoid, {}), (F.softsign, {}), (F.tanhshrink, {}), (F.mish, {})):
    name = NAMES[f] + "".join(f"_{text(v)}" for v in arguments.values()).replace("-", "m")
    for shape in ((), (1,), (0, 3), (7, 5)):
        function(f"{name}.{'x'.join(map(str, shape)) or 'rank0'}", f, n(*shape), **arguments)
    function(f"{name}.far", f, far, **arguments)
for f in (F.softmin, F.glu):
    for shape, dim in (((2,), 0), ((3, 4), -1), ((6, 5), 0), ((0, 4), 1), ((2, 4, 1), 1)):
        function(f"{NAMES[f]}.{'x'.join(map(str, shape))}", f, n(*shape), dim=dim)
for name, shape, slopes in (("one", (3, 2), 1), ("channels", (2, 3, 5), 3), ("vector", (7,), 1), ("empty", (0, 3), 3), ("single", (1, 1), 1)):
    function(f"prelu.{name}", F.prelu, n(*shape), n(slopes))

# ---- losses
signs = t(1.0, -1.0, -1.0, 1.0, -1.0)
unit, bits = t([[0.1, 0.5, 0.999], [0.0, 1.0, 0.25]]), t([[1.0, 0.0, 0.25], [0.0, 1.0, 0.5]])
apart = t(-3.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 7.0)
for reduction in ("none", "mean", "sum"):
    kw = dict(reduction=reduction)
    pairs = (("7x5", n(7, 5), n(7, 5)), ("empty", n(0, 3), n(0, 3)), ("rank0", n(), n()), ("1", n(1), n(1)))
    for label, x, y in pairs:
        function(f"l1_loss.{label}_{reduction}", F.l1_loss, x, y, **kw)
        function(f"huber_loss.{label}_{reduction}", F.huber_loss, x, y, delta=0.5, **kw)
        function(f"smooth_l1_loss.{label}_{reduction}", F.smooth_l1_loss, x, y, beta=0.5, **kw)
        function(f"soft_margin_loss.{label}_{reduction}", F.soft_margin_loss, x, fixed(lambda g, s=x: torch.sign(s(g))), **kw)
        function(f"poisson_nll_loss.{label}_{reduction}", F.poisson_nll_loss, x, lambda g, s=y: s(g).abs() * 3, **kw)
    zero = t([0.0] * 9)
    function(f"l1_loss.kinks_{reduction}", F.l1_loss, apart, zero, **kw)
    function(f"huber_loss.kinks_{reduction}", F.huber_loss, apart, zero, delta=0.5, **kw)
    function(f"smooth_l1_loss.kinks_{reduction}", F.smooth_l1_loss, apart, zero, beta=0.25, **kw)
    function(f"smooth_l1_loss.l1_{reduction}", F.smooth_l1_loss, apart, zero, beta=0.0, **kw)
    function(f"poisson_nll_loss.full_{reduction}", F.poisson_nll_loss, p(5), fixed(t(0.0, 1.0, 1.5, 2.0, 7.0)), log_input=False, full=True, **kw)
    function(f"gaussian_nll_loss.same_{reduction}", F.gaussian_nll_loss, n(5, 3), n(5, 3), p(5, 3), full=True, **kw)
    function(f"gaussian_nll_loss.by_row_{reduction}", F.gaussian_nll_loss, n(5, 3), n(5, 3), p(5), **kw)
    function(f"gaussian_nll_loss.by_row_kept_{reduction}", F.gaussian_nll_loss, n(2, 3), n(2, 3), p(2, 1), **kw)
    function(f"gaussian_nll_loss.small_{reduction}", F.gaussian_nll_loss, n(3), n(3), t(0.0, 1e-3, 2.0), eps=0.0625, **kw)
    function(f"binary_cross_entropy.plain_{reduction}", F.binary_cross_entropy, unit, bits, **kw)
    function(f"binary_cross_entropy.weight_{reduction}", F.binary_cross_entropy, unit, bits, weight=p(3), **kw)
    function(f"binary_cross_entropy.rank0_{reduction}", F.binary_cross_entropy, t(0.25), t(1.0), **kw)
    function(f"binary_cross_entropy.empty_{reduction}", F.binary_cross_entropy, n(0, 2), n(0, 2), **kw)
    bce = F.binary_cross_entropy_with_logits
    function(f"binary_cross_entropy_with_logits.pos_weight_{reduction}", bce, n(2, 3), bits, pos_weight=p(3), **kw)
    function(f"binary_cross_entropy_with_logits.both_{reduction}", bce, n(2, 3), bits, weight=p(2, 1), pos_weight=p(3), **kw)
    function(f"binary_cross_entropy_with_logits.weight_{reduction}", bce, n(2, 3), bits, weight=p(3), **kw)
    function(f"binary_cross_entropy_with_logits.empty_{reduction}", bce, n(0, 3), n(0, 3), pos_weight=p(3), **kw)
    function(f"multilabel_soft_margin_loss.plain_{reduction}", F.multilabel_soft_margin_loss, n(2, 3), bits, **kw)
    function(f"multilabel_soft_margin_loss.weight_{reduction}", F.multilabel_soft_margin_loss, n(2, 3), bits, weight=p(3), **kw)
    function(f"multilabel_soft_margin_loss.one_class_{reduction}", F.multilabel_soft_margin_loss, n(5, 1), p(5, 1), **kw)
    function(f"multilabel_soft_margin_loss.vector_{reduction}", F.multilabel_soft_margin_loss, n(7), p(7), **kw)
    for label, margin in (("plain", 0.0), ("margin", 0.5)):
        function(f"margin_ranking_loss.{label}_{reduction}", F.margin_ranking_loss, n(5), n(5), signs, margin=margin, **kw)
        function(f"hinge_embedding_loss.{label}_{reduction}", F.hinge_embedding_loss, n(5), signs, margin=margin + 1, **kw)
        function(f"cosine_embedding_loss.{label}_{reduction}", F.cosine_embedding_loss, n(5, 3), n(5, 3), signs, margin=margin - 0.5, **kw)
    function(f"margin_ranking_loss.ties_{reduction}", F.margin_ranking_loss, t(1.0, 2.0), t(1.0, 2.0), t(1.0, -1.0), **kw)
    function(f"margin_ranking_loss.broadcast_{reduction}", F.margin_ranking_loss, n(5), n(5), t([-1.0]), margin=0.25, **kw)
    function(f"hinge_embedding_loss.kink_{reduction}", F.hinge_embedding_loss, t(1.0, 1.0, 0.0), t(1.0, -1.0, -1.0), **kw)
    function(f"hinge_embedding_loss.empty_{reduction}", F.hinge_embedding_loss, n(0), n(0), **kw)
    function(f"cosine_embedding_loss.zero_{reduction}", F.cosine_embedding_loss, t([[0.0, 0.0], [1.0, 2.0]]), n(2, 2), t(1.0, -1.0), **kw)
    function(f"cosine_embedding_loss.no_batch_{reduction}", F.cosine_embedding_loss, n(3), n(3), t(1.0), **kw)
    classes = i([2, 0, 3, 1, 2])
    for label, extra in (("plain", {}), ("squares", {"p": 2, "margin": 0.5}), ("weight", {"weight": p(4)})):
        function(f"multi_margin_loss.{label}_{reduction}", F.multi_margin_loss, n(5, 4), classes, **kw, **extra)
    function(f"multi_margin_loss.no_batch_{reduction}", F.multi_margin_loss, n(4), i(1), **kw)
    function(f"multilabel_margin_loss.batch_{reduction}", F.multilabel_margin_loss, n(3, 4), i([[3, 0, -1, 1], [-1, 2, 2, 2], [0, 1, 2, 3]]), **kw)
    function(f"multilabel_margin_loss.no_batch_{reduction}", F.multilabel_margin_loss, n(5), i([4, 1, -1, 0, 0]), **kw)
    function(f"multilabel_margin_loss.one_class_{reduction}", F.multilabel_margin_loss, n(2, 1), i([[0], [-1]]), **kw)
    function(f"multilabel_margin_loss.one_{reduction}", F.multilabel_margin_loss, n(1, 3), i([[1, -1, 2]]), **kw)
    for label, extra in (("plain", {}), ("swap", {"swap": True, "margin": 2.0}), ("p1", {"p": 1.0}), ("p3", {"p": 3.0, "eps": 1e-3})):
        function(f"triplet_margin_loss.{label}_{reduction}", F.triplet_margin_loss, n(5, 3), n(5, 3), n(5, 3), **kw, **extra)
    # class weights, probabilities as targets, positions behind the classes
    for label, x, y, extra in (("weight", n(5, 4), classes, {"weight": p(4)}), ("weight_ignore", n(5, 4), classes, {"weight": p(4), "ignore_index": 2}),
                               ("weight_smooth", n(5, 4), classes, {"weight": p(4), "ignore_index": 0, "label_smoothing": 0.25}),
                               ("probabilities", n(5, 4), lambda g: torch.randn(5, 4, generator=g).softmax(-1), {}),
                               ("probabilities_weight", n(5, 4), lambda g: torch.randn(5, 4, generator=g).softmax(-1), {"weight": p(4), "label_smoothing": 0.125}),
                               ("probabilities_positions", n(2, 3, 5), lambda g: torch.randn(2, 3, 5, generator=g).softmax(1), {}),
                               ("probabilities_vector", n(7), lambda g: torch.randn(7, generator=g).softmax(0), {}),
                               ("positions", n(2, 3, 5), i([[0, 1, 2, 0, 1], [2, 2, -100, 1, 0]]), {"label_smoothing": 0.125}),
                               ("grid", n(2, 3, 2, 1), i([[[0], [1]], [[2], [2]]]), {"weight": p(3)}),
                               ("positions_empty", n(2, 3, 0), i([], (2, 0)), {})):
        function(f"cross_entropy.{label}_{reduction}", F.cross_entropy, x, y, **kw, **extra)
    for label, x, y, extra in (("weight", lp(5, 4), classes, {"weight": p(4)}), ("positions", n(2, 3, 5), i([[0, 1, 2, 0, 1], [2, 2, -100, 1, 0]]), {"weight": p(3)}),
                               ("no_batch", lp(4), i(1), {}), ("one_class", n(3, 1), i([0, 0, 0]), {})):
        function(f"nll_loss.{label}_{reduction}", F.nll_loss, x, y, **kw, **extra)
for f, shapes in ((F.pairwise_distance, ((5, 3), (7,), (1, 1), (2, 3, 5))), (F.cosine_similarity, ((5, 3), (2, 3, 5), (1, 1), (0, 3)))):
    for shape in shapes:
        function(f"{NAMES[f]}.{'x'.join(map(str, shape))}", f, n(*shape), n(*shape))
function("cosine_similarity.zero", F.cosine_similarity, t([[0.0, 0.0], [3.0, 4.0]]), t([[1.0, 2.0], [3.0, 4.0]]))
for shape, extra in (((5, 3), {}), ((2, 3, 5), {"dim": -1}), ((7,), {"dim": 0, "p": 1.0}), ((1, 1), {"p": 3.0})):
    function(f"normalize.{'x'.join(map(str, shape))}", F.normalize, n(*shape), **extra)
function("normalize.zero_row", F.normalize, t([[0.0, 0.0], [3.0, 4.0]]))

# ---- layers: what slope's constructor takes is written as KEY=VALUE
def layer(name, make, *inputs, **arguments):
    module(name, make, arguments, *inputs)


for label, sizes, bias, batch in (("primes", (3, 5, 7), True, (11,)), ("no_bias", (2, 3, 5), False, (2, 3)), ("ones", (1, 1, 1), True, (1,)), ("vector", (3, 2, 5), True, ()), ("empty", (3, 2, 5), True, (0,))):
    layer(f"Bilinear.{label}", lambda s=sizes, k=bias: nn.Bilinear(*s, bias=k), n(*batch, sizes[0]), n(*batch, sizes[1]), sizes=sizes, bias=bias)
for label, shape, extra in (("image", (2, 3, 5, 7), {}), ("one_dim", (2, 3, 5), {}), ("two_dims", (7, 3), {}), ("front", (2, 3, 5), {"start_dim": 0, "end_dim": 1}), ("empty", (0, 3, 2), {})):
    layer(f"Flatten.{label}", lambda e=extra: nn.Flatten(**e), n(*shape), **extra)
for label, shape, dim, sizes in (("middle", (2, 6, 5), 1, (2, 3)), ("last", (2, 6), -1, (3, 2)), ("ones", (1, 1), 1, (1, 1, 1)), ("empty", (0, 6), 1, (2, 3))):
    layer(f"Unflatten.{label}", lambda d=dim, s=sizes: nn.Unflatten(d, s), n(*shape), dim=dim, sizes=sizes)
for label, shape in (("rank0", ()), ("one", (1,)), ("matrix", (7, 5)), ("empty", (0, 3))):
    layer(f"Identity.{label}", lambda: nn.Identity(), n(*shape))
for label, groups, shape, extra in (("primes", 3, (2, 6, 5, 7), {}), ("one_group", 1, (3, 5, 2), {}), ("every_channel", 5, (2, 5, 3), {"eps": 1e-3}), ("vectors", 2, (5, 6), {}),
                                    ("single", 1, (1, 1, 2), {}), ("empty", 2, (0, 4, 3), {}), ("plain", 2, (2, 4, 3), {"affine": False}), ("no_bias", 2, (2, 4, 3), {"bias": False})):
    layer(f"GroupNorm.{label}", lambda g=groups, s=shape, e=extra: nn.GroupNorm(g, s[1], **e), n(*shape), groups=groups, channels=shape[1], **extra)
for label, sizes, length, extra in (("plain", (3, 5, 2), 7, {}), ("stride", (3, 5, 3), 11, {"stride": 2, "padding": 1}), ("dilation", (2, 3, 3), 11, {"dilation": 3, "padding": 4}),
                                    ("groups", (4, 6, 3), 7, {"groups": 2, "stride": 3, "padding": 2, "dilation": 2}), ("depthwise", (5, 5, 2), 3, {"groups": 5}),
                                    ("no_bias", (2, 3, 5), 5, {"bias": False}), ("one", (1, 1, 1), 1, {}), ("wide_stride", (2, 2, 2), 5, {"stride": 7})):
    layer(f"Conv1d.{label}", lambda s=sizes, e=extra: nn.Conv1d(*s, **e), n(2, sizes[0], length), sizes=sizes, **extra)
layer("Conv1d.no_batch", lambda: nn.Conv1d(3, 2, 2), n(3, 5), sizes=(3, 2, 2))
layer("Conv1d.empty", lambda: nn.Conv1d(3, 2, 2), n(0, 3, 5), sizes=(3, 2, 2))
for label, ids, extra in (("max_norm", [[1, 4, 1], [1, 0, 2]], {"max_norm": 1.0}), ("max_norm1", [3, 3, 0], {"max_norm": 0.5, "norm_type": 1.0}),
                          ("padded", [[0, 2], [5, 0]], {"padding_idx": 0, "max_norm": 0.25}), ("none", [], {"max_norm": 1.0}), ("wide", [1, 2], {"max_norm": 100.0})):
    layer(f"Embedding.{label}", lambda e=extra: nn.Embedding(6, 3, **e), i(ids), number=6, dim=3, **extra)
for cls in (nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.ReLU6, nn.SELU, nn.Hardsigmoid, nn.Hardswish, nn.LogSigmoid, nn.Softsign, nn.Tanhshrink, nn.Mish):
    layer(f"{cls.__name__}.matrix", cls, n(3, 5))
for make, extra in ((nn.LeakyReLU, {"negative_slope": 0.2}), (nn.ELU, {"alpha": 0.5}), (nn.CELU, {"alpha": 2.0}), (nn.Hardtanh, {"min_val": -0.5, "max_val": 1.0}),
                    (nn.Hardshrink, {"lambd": 0.25}), (nn.Softshrink, {"lambd": 0.25}), (nn.Threshold, {"threshold": 0.5, "value": -2.0}), (nn.Softplus, {"beta": 2.0, "threshold": 10.0}),
                    (nn.Softmax, {"dim": 0}), (nn.LogSoftmax, {"dim": 1}), (nn.Softmin, {"dim": 1}), (nn.GLU, {"dim": 1})):
    layer(f"{make.__name__}.settings", lambda m=make, e=extra: m(**e), n(3, 4), **extra)
layer("RReLU.settings", lambda: nn.RReLU(0.25, 0.5).eval(), n(3, 5), lower=0.25, upper=0.5)
layer("PReLU.one", lambda: nn.PReLU(), n(3, 5))
layer("PReLU.channels", lambda: nn.PReLU(3), n(2, 3, 5), number=3)


def slopes(heads):  # of ALiBi, as published (Press et al., 2022)
    series = lambda k: [2 ** (-8 * (h + 1) / k) for h in range(k)]
    low = 2 ** math.floor(math.log2(heads))
    return series(heads) if low == heads else series(low) + series(2 * low)[0::2][: heads - low]


def bucket(relative, both_sides, buckets, most):  # of T5 (Raffel et al., 2020)
    result = torch.zeros_like(relative)
    if both_sides:
        buckets //= 2
        result += (relative > 0).long() * buckets
        relative = relative.abs()
    else:
        relative = -torch.minimum(relative, torch.zeros_like(relative))
    exact = buckets // 2
    large = exact + (torch.log(relative.float() / exact) / math.log(most / exact) * (buckets - exact)).long()
    return result + torch.where(relative < exact, relative, torch.minimum(large, torch.full_like(large, buckets - 1)))


def positions():
    files = {f"alibi_slopes.{h}/output0": torch.tensor(slopes(h)) for h in (1, 3, 8, 12)}
    for label, both_sides, buckets, most in (("encoder", True, 32, 128), ("decoder", False, 32, 128), ("few", True, 6, 11), ("short", False, 7, 20)):
        d = torch.arange(-300, 300, 7 if most == 128 else 1)[: 100 if most == 128 else 600]
        files |= {f"bucket.{label}/input0": d, f"bucket.{label}/output0": bucket(d, both_sides, buckets, most)}
    return files


def write(name, also):
    """also: tensors of the f32 file"""
    assert len({c[0] for c in cases}) == len(cases), "names must be unique"
    for suffix, dtype in (("f64", torch.float64), ("f32", torch.float32)):
        files, printed = dict(also) if suffix == "f32" else {}, {}
        for c in cases:
            made, m = evaluate(c, dtype)
            files |= made
            if m is not None:
                printed[c[0]] = str(m)
        save(f"{name}_{suffix}.safetensors", files, printed)
    lines = [" ".join([case, op, *(f"{k}={text(v)}" for k, v in arguments.items())]) for case, op, _, _, _, arguments in cases]
    save_text(f"{name}.txt", "\n".join(["# CASE OP KEY=VALUE …   (see modules.py)", *lines]) + "\n")
    print(len(cases), "cases,", len({c[1] for c in cases}), "functions and layers")


if __name__ == "__main__":
    write("modules", positions())
