"""Golden values and gradients of pooling, padding, norms over batches, bags of embeddings, transposed convolutions, distances, and of losses as modules.
Writes layers.txt, layers_f64.safetensors and layers_f32.safetensors, in the form of modules.py."""
import torch
from torch import nn
from torch.nn import functional as F

import modules
from modules import fixed, function, layer, n, p, t, i, lp

modules.cases.clear()

# ---- functions
for label, shape, extra in (("plain", (2, 3, 7), {}), ("stride", (2, 3, 11), {"stride": 2, "padding": 1}), ("ceil", (3, 8), {"stride": 3, "ceil_mode": True}),
                            ("edges", (1, 2, 7), {"stride": 2, "padding": 1, "ceil_mode": True}), ("one", (1, 1, 3), {}), ("empty", (0, 2, 5), {})):
    function(f"avg_pool1d.{label}", F.avg_pool1d, n(*shape), kernel_size=3, **extra)
    function(f"max_pool1d.{label}", F.max_pool1d, n(*shape), kernel_size=3, **extra)
function("avg_pool1d.inside", F.avg_pool1d, n(2, 2, 5), kernel_size=3, stride=1, padding=1, count_include_pad=False)
function("max_pool1d.dilation", F.max_pool1d, n(2, 2, 11), kernel_size=3, stride=2, padding=1, dilation=2)
function("max_pool1d.ties", F.max_pool1d, t([[1.0, 1.0, 0.0, 2.0, 2.0, 2.0]]), kernel_size=3)
for label, shape, extra in (("plain", (2, 3, 7), {"norm_type": 2.0}), ("one", (1, 1, 3), {"norm_type": 3.0}), ("stride", (2, 2, 8), {"norm_type": 2.0, "stride": 1}),
                            ("ceil", (3, 8), {"norm_type": 2.0, "stride": 3, "ceil_mode": True})):
    function(f"lp_pool1d.{label}", F.lp_pool1d, p(*shape), kernel_size=3, **extra)
for label, shape, size in (("primes", (2, 3, 11), 5), ("more", (2, 3), 5), ("one", (1, 1, 7), 1), ("same", (2, 2, 4), 4)):
    function(f"adaptive_avg_pool1d.{label}", F.adaptive_avg_pool1d, n(*shape), output_size=size)
    function(f"adaptive_max_pool1d.{label}", F.adaptive_max_pool1d, n(*shape), output_size=size)
for label, shape, indices, kernel in (("plain", (1, 2, 3), [[[0, 3, 5], [1, 2, 4]]], 2), ("one", (1, 1, 1), [[[2]]], 3), ("no_batch", (2, 2), [[1, 3], [0, 2]], 2),
                                      ("wide", (2, 1, 2), [[[0, 5]], [[1, 3]]], 3)):
    function(f"max_unpool1d.{label}", F.max_unpool1d, n(*shape), i(indices), kernel_size=kernel)
for mode in ("reflect", "replicate", "circular"):
    for label, shape, widths in (("both", (2, 3, 5), (2, 3)), ("none", (1, 1, 3), (0, 0)), ("before", (2, 7), (4, 0)), ("one", (1, 2, 2), (1, 1))):
        function(f"pad.{mode}_{label}", F.pad, n(*shape), pad=widths, mode=mode)
for label, shape in (("rows", (7, 3)), ("positions", (2, 3, 5)), ("single", (2, 1)), ("one_position", (3, 2, 1))):
    function(f"batch_norm.{label}", F.batch_norm, n(*shape), fixed(n(shape[1])), fixed(p(shape[1])), n(shape[1]), n(shape[1]))
for label, shape in (("batch", (2, 3, 5)), ("long", (1, 3, 7)), ("one", (1, 1, 2)), ("two", (3, 2, 2))):
    function(f"instance_norm.{label}", F.instance_norm, n(*shape))
for mode in ("sum", "mean", "max"):
    function(f"embedding_bag.{mode}", F.embedding_bag, i([[1, 4, 1], [0, 2, 3]]), n(5, 3), mode=mode)
    function(f"embedding_bag.padded_{mode}", F.embedding_bag, i([[1, 4, 1], [2, 2, 2]]), n(5, 3), mode=mode, padding_idx=2)
    function(f"embedding_bag.offsets_{mode}", F.embedding_bag, i([3, 0, 4, 4, 1]), n(5, 2), i([0, 2, 2, 3]), mode=mode)
for label, x, size, length, extra in (("plain", 3, (3, 5, 2), 7, {}), ("stride", 2, (2, 3, 3), 5, {"stride": 2, "padding": 1, "output_padding": 1}),
                                      ("groups", 4, (4, 3, 3), 4, {"groups": 2, "stride": 3, "dilation": 2}), ("one", 1, (1, 1, 1), 1, {})):
    function(f"conv_transpose1d.{label}", F.conv_transpose1d, n(2, x, length), n(*size), **extra)
for label, shape, size, padding in (("plain", (5, 2, 3), (2, 3, 4), 0), ("padded", (3, 1, 2), (3, 2, 1), 2), ("one", (1, 1, 1), (1, 1, 1), 0), ("primes", (7, 3, 2), (5, 2, 3), 1)):
    function(f"conv_tbc.{label}", torch.conv_tbc, n(*shape), n(*size), n(size[2]), pad=padding)
for label, shape, extra in (("plain", (5, 3), {}), ("two", (2, 7), {}), ("one_norm", (3, 2), {"p": 1.0}), ("three", (4, 1), {"p": 3.0}), ("one", (1, 3), {})):
    function(f"pdist.{label}", F.pdist, n(*shape), **extra)
for label, ids, classes in (("plain", [2, 0, 1], 4), ("matrix", [[1, 0], [2, 2]], 3), ("guess", [3, 1], -1), ("scalar", 1, 2)):
    function(f"one_hot.{label}", F.one_hot, i(ids), num_classes=classes)
for reduction in ("none", "mean", "sum"):
    function(f"triplet_margin_with_distance_loss.{reduction}", F.triplet_margin_with_distance_loss, n(5, 3), n(5, 3), n(5, 3), reduction=reduction)
    function(f"triplet_margin_with_distance_loss.swap_{reduction}", F.triplet_margin_with_distance_loss, n(5, 3), n(5, 3), n(5, 3), margin=2.0, swap=True, reduction=reduction)

# ---- layers
for label, shape, extra in (("plain", (2, 3, 7), {"kernel": 3}), ("stride", (2, 3, 11), {"kernel": 2, "stride": 3, "padding": 1}), ("ceil", (3, 8), {"kernel": 3, "ceil_mode": True}),
                            ("one", (1, 1, 1), {"kernel": 1})):
    arguments = {k: v for k, v in extra.items() if k != "kernel"}
    layer(f"AvgPool1d.{label}", lambda e=extra, a=arguments: nn.AvgPool1d(e["kernel"], **a), n(*shape), **extra)
    layer(f"MaxPool1d.{label}", lambda e=extra, a=arguments: nn.MaxPool1d(e["kernel"], **a), n(*shape), **extra)
for label, shape, extra in (("plain", (2, 3, 7), {}), ("stride", (2, 2, 8), {"stride": 1}), ("ceil", (3, 8), {"stride": 3, "ceil_mode": True}), ("one", (1, 1, 3), {})):
    layer(f"LPPool1d.{label}", lambda e=extra: nn.LPPool1d(2, 3, **e), p(*shape), **extra)
for label, shape, size in (("primes", (2, 3, 11), 5), ("more", (2, 3), 5), ("one", (1, 1, 7), 1), ("same", (2, 2, 4), 4)):
    layer(f"AdaptiveAvgPool1d.{label}", lambda s=size: nn.AdaptiveAvgPool1d(s), n(*shape), size=size)
    layer(f"AdaptiveMaxPool1d.{label}", lambda s=size: nn.AdaptiveMaxPool1d(s), n(*shape), size=size)
for label, shape, indices, kernel in (("plain", (1, 2, 3), [[[0, 3, 5], [1, 2, 4]]], 2), ("one", (1, 1, 1), [[[2]]], 3), ("no_batch", (2, 2), [[1, 3], [0, 2]], 2),
                                      ("wide", (2, 1, 2), [[[0, 5]], [[1, 3]]], 3)):
    layer(f"MaxUnpool1d.{label}", lambda k=kernel: nn.MaxUnpool1d(k), n(*shape), i(indices), kernel=kernel)
for label, shape, widths in (("both", (2, 3, 5), (2, 3)), ("none", (1, 1, 3), (0, 0)), ("before", (2, 7), (4, 0)), ("one", (1, 2, 2), (1, 1))):
    layer(f"ConstantPad1d.{label}", lambda w=widths: nn.ConstantPad1d(w, 3.5), n(*shape), padding=widths)
    for kind in (nn.ZeroPad1d, nn.ReflectionPad1d, nn.ReplicationPad1d, nn.CircularPad1d):
        layer(f"{kind.__name__}.{label}", lambda k=kind, w=widths: k(w), n(*shape), padding=widths)
for label, shape, extra in (("train", (5, 3, 2), {"train": True}), ("train_rows", (7, 5), {"train": True, "momentum": 0.25}), ("eval", (2, 3, 5), {}), ("plain", (3, 2), {"affine": False}),
                            ("no_bias", (4, 3), {"bias": False, "train": True}), ("untracked", (4, 2, 3), {"track_running_stats": False}),
                            ("cumulative", (5, 2), {"cumulative": True, "train": True})):
    def make(s=shape, e=extra):
        settings = {k: v for k, v in e.items() if k not in ("train", "cumulative")} | ({"momentum": None} if "cumulative" in e else {})
        return nn.BatchNorm1d(s[1], **settings).train(e.get("train", False))
    layer(f"BatchNorm1d.{label}", make, n(*shape), features=shape[1], **extra)
for label, shape, affine in (("batch", (2, 3, 5), True), ("no_batch", (3, 7), False), ("one", (1, 1, 2), True), ("two", (3, 2, 2), False)):
    layer(f"InstanceNorm1d.{label}", lambda s=shape, a=affine: nn.InstanceNorm1d(s[-2], affine=a), n(*shape), features=shape[-2], affine=affine)
for label, extra in (("mean", {"mode": "mean"}), ("sum", {"mode": "sum", "max_norm": 1.0}), ("max", {"mode": "max"}), ("padded", {"mode": "sum", "padding_idx": 2})):
    layer(f"EmbeddingBag.{label}", lambda e=extra: nn.EmbeddingBag(5, 3, **e), i([[1, 4, 1], [0, 2, 2]]), number=5, dim=3, **extra)
for label, sizes, length, extra in (("plain", (3, 5, 2), 7, {}), ("stride", (2, 3, 3), 5, {"stride": 2, "padding": 1, "output_padding": 1}),
                                    ("groups", (4, 6, 3), 4, {"groups": 2, "stride": 3, "dilation": 2}), ("no_bias", (1, 1, 1), 1, {"bias": False})):
    layer(f"ConvTranspose1d.{label}", lambda s=sizes, e=extra: nn.ConvTranspose1d(*s, **e), n(2, sizes[0], length), sizes=sizes, **extra)
for label, shape, extra in (("rows", (5, 3), {}), ("vector", (7,), {}), ("one", (1, 1), {"p": 1.0}), ("keep", (2, 3), {"keepdim": True})):
    layer(f"PairwiseDistance.{label}", lambda e=extra: nn.PairwiseDistance(**e), n(*shape), n(*shape), **extra)
for label, shape, extra in (("rows", (5, 3), {}), ("positions", (2, 3, 5), {}), ("one", (1, 1), {}), ("last", (2, 3, 2), {"dim": 2})):
    layer(f"CosineSimilarity.{label}", lambda e=extra: nn.CosineSimilarity(**e), n(*shape), n(*shape), **extra)

# ---- losses as modules
signs, bits, classes = t(1.0, -1.0, -1.0, 1.0, -1.0), t([[1.0, 0.0, 0.25], [0.0, 1.0, 0.5]]), i([2, 0, 3, 1, 2])
unit = t([[0.1, 0.5, 0.999], [0.25, 0.75, 0.125]])
for k, reduction in enumerate(("none", "mean", "sum", "mean")):
    kw = dict(reduction=reduction)

    def loss(kind, *inputs, tensors=None, **extra):
        weights = tensors or {}
        layer(f"{kind.__name__}.{k}", lambda kw=kw: kind(**{name: torch.arange(1.0, 1 + size) / 2 for name, size in weights.items()}, **kw, **extra), *inputs,
              **kw, **extra, **({"sizes": "+".join(f"{name}:{size}" for name, size in weights.items())} if weights else {}))
    pair = (n(7, 5), fixed(n(7, 5))) if k < 3 else (n(1), fixed(n(1)))
    for kind in (nn.L1Loss, nn.MSELoss):
        loss(kind, *pair)
    loss(nn.HuberLoss, *pair, delta=0.5)
    loss(nn.SmoothL1Loss, *pair, beta=0.5)
    loss(nn.PoissonNLLLoss, n(5), fixed(p(5)), full=k == 3)
    loss(nn.GaussianNLLLoss, n(5, 3), n(5, 3), p(5, 3), full=k == 3)
    loss(nn.KLDivLoss, lp(5, 3), fixed(lambda g: torch.randn(5, 3, generator=g).softmax(-1)))
    loss(nn.SoftMarginLoss, n(5), fixed(signs))
    loss(nn.MultiLabelMarginLoss, n(3, 4), i([[3, 0, -1, 1], [-1, 2, 2, 2], [0, 1, 2, 3]]))
    loss(nn.MarginRankingLoss, n(5), n(5), fixed(signs), margin=0.5)
    loss(nn.HingeEmbeddingLoss, n(5), fixed(signs), margin=1.5)
    loss(nn.CosineEmbeddingLoss, n(5, 3), n(5, 3), fixed(signs), margin=0.25)
    loss(nn.TripletMarginLoss, n(5, 3), n(5, 3), n(5, 3), swap=k == 3)
    loss(nn.TripletMarginWithDistanceLoss, n(5, 3), n(5, 3), n(5, 3), swap=k == 3)
    loss(nn.CrossEntropyLoss, n(5, 4), classes, tensors={"weight": 4} if k else {}, label_smoothing=0.125 * k)
    loss(nn.NLLLoss, lp(5, 4), classes, tensors={"weight": 4} if k else {})
    loss(nn.BCELoss, unit, fixed(bits), tensors={"weight": 3} if k else {})
    loss(nn.BCEWithLogitsLoss, n(2, 3), fixed(bits), tensors={"weight": 3, "pos_weight": 3} if k else {})
    loss(nn.MultiLabelSoftMarginLoss, n(2, 3), fixed(bits), tensors={"weight": 3} if k else {})
    loss(nn.MultiMarginLoss, n(5, 4), classes, tensors={"weight": 4} if k else {}, margin=0.5)

if __name__ == "__main__":
    modules.write("layers", {})
