"""Text of tensors: torch's own, for values that take each path of its formatter. Writes print.safetensors: the tensors, and for each its
text in the metadata under its name; options that differ from the defaults are under "NAME options"."""
import torch
from safetensors.torch import save_file

from common import FOLDER, report

cases, meta = {}, {}


def case(name, x, suffix=None, **options):
    """`suffix` is what autograd adds to the text, such as requires_grad=True"""
    y = x
    if suffix == "requires_grad=True":
        y = x.clone().requires_grad_()
    elif suffix:
        y = x.clone().requires_grad_() * 1
        assert suffix == "grad_fn=<MulBackward0>"
        with torch.no_grad():
            assert torch.equal(torch.nan_to_num(y), torch.nan_to_num(x))
    with torch._tensor_str.printoptions(**options):
        meta[name] = str(y)
    listed = [f"{k}={v}" for k, v in options.items()]
    if suffix:
        listed.append("suffix=" + suffix)
    if listed:
        meta[name + " options"] = ";".join(listed)
    cases[name] = x.contiguous().clone()


g = torch.Generator().manual_seed(7)
randn = lambda *s, dtype=torch.float32: torch.randn(*s, generator=g, dtype=dtype)
nan, inf = float("nan"), float("inf")
t = torch.tensor

for dtype, tag in ((torch.float32, "f32"), (torch.float64, "f64")):
    f = lambda v: t(v, dtype=dtype)
    case(f"{tag} scalar", f(3.14159265))
    case(f"{tag} scalar whole", f(-7.0))
    case(f"{tag} scalar zero", f(0.0))
    case(f"{tag} scalar nan", f(nan))
    case(f"{tag} scalar inf", f(-inf))
    case(f"{tag} scalar small", f(1e-5))
    case(f"{tag} scalar large", f(1.5e9))
    case(f"{tag} whole", f([1, 2, 3]))
    case(f"{tag} whole signs", f([-1, 0, 100]))
    case(f"{tag} whole with nan", f([1, nan, 12, -inf, inf]))
    case(f"{tag} zeros", f([[0, 0], [0, 0]]))
    case(f"{tag} negative zero", f([-0.0, 0.0]))
    case(f"{tag} only nonfinite", f([nan, inf, -inf]))
    case(f"{tag} nan beside zero", f([nan, 0.0]))
    case(f"{tag} fixed", f([0.5, -1.25, 99.99999]))
    case(f"{tag} fixed nonfinite", f([0.5, nan, -inf]))
    case(f"{tag} ratio 1000", f([1.0, 1000.0]))
    case(f"{tag} ratio above 1000", f([1.0, 1001.0]))
    case(f"{tag} ratio fraction", f([0.001, 1.5]))
    case(f"{tag} sci small", f([1e-5, 2e-5]))
    case(f"{tag} bound 1e-4", f([1e-4, 2e-4]))
    case(f"{tag} sci whole large", f([1e8, 2e8, 3e8 + 32]))
    case(f"{tag} bound 1e8", f([1e8, 5e7]))
    case(f"{tag} sci nonfinite", f([1e-7, nan, inf, -3.0, 0.0]))
    case(f"{tag} sci three digits", f([1e-30, 1e30]))
    case(f"{tag} rounding up", f([0.99995, 9.99996, 0.00005 + 0.5]))
    case(f"{tag} ties", f([0.00005, 0.03125, 0.15625, 2.5]), precision=1)
    case(f"{tag} two lines", randn(20, dtype=dtype))
    case(f"{tag} matrix", randn(3, 4, dtype=dtype))
    case(f"{tag} wide matrix", randn(2, 15, dtype=dtype))
    case(f"{tag} rank 3", randn(2, 3, 2, dtype=dtype))
    case(f"{tag} rank 4", randn(2, 1, 2, 2, dtype=dtype))
    case(f"{tag} long vector", randn(1001, dtype=dtype))
    case(f"{tag} 1000 elements", torch.arange(1000, dtype=dtype))
    case(f"{tag} long whole", torch.arange(1001, dtype=dtype))
    case(f"{tag} long matrix", randn(40, 30, dtype=dtype))
    case(f"{tag} edges 6 and 7", randn(6, 7, 30, dtype=dtype))
    case(f"{tag} long rank 3", randn(11, 8, 13, dtype=dtype))
    case(f"{tag} size 1 dims", randn(1, 1, 1, dtype=dtype))
    case(f"{tag} empty", torch.empty(0, dtype=dtype))
    case(f"{tag} empty matrix", torch.empty(0, 3, dtype=dtype))
    case(f"{tag} empty rank 3", torch.empty(2, 0, 4, dtype=dtype))
    case(f"{tag} requires grad", f([1.5, 2.5]), suffix="requires_grad=True")
    case(f"{tag} grad_fn", randn(2, 2, dtype=dtype), suffix="grad_fn=<MulBackward0>")
    case(f"{tag} suffix on a new line", randn(7, dtype=dtype), suffix="grad_fn=<MulBackward0>")
    case(f"{tag} suffix of a wide row", randn(2, 7, dtype=dtype), suffix="requires_grad=True")
    case(f"{tag} suffix of a scalar", f(2.0), suffix="requires_grad=True")
    case(f"{tag} suffix of empty", torch.empty(0, 3, dtype=dtype), suffix="requires_grad=True")

case("f32 denormal", t([1e-42, 1e-40]))
case("f32 largest", t([3.4028235e38, -1.0]))
case("f64 largest", t([1.7976931348623157e308, 5e-324], dtype=torch.float64))
case("f64 digits", t([1 / 3, 2 / 3], dtype=torch.float64), precision=12)
case("f32 digits", t([1 / 3, 0.1]), precision=12)
case("f32 no digits", t([0.5, 1.5, 2.5]), precision=0)
case("f32 no digits sci", t([1e-9, 1.5]), precision=0)
case("f32 sci forced", t([1.0, 2.5]), sci_mode=True)
case("f32 sci forced whole", t([1.0, 20.0]), sci_mode=True)
case("f32 sci forbidden", t([1e-7, 1e9]), sci_mode=False)
case("f64 sci forbidden", t([1e-7, 1e300], dtype=torch.float64), sci_mode=False)
case("f32 line width", randn(3, 9), linewidth=40)
case("f32 line width tiny", randn(3), linewidth=5)
case("f32 threshold", randn(4, 9), threshold=10)
case("f32 edge items 1", randn(5, 6), threshold=10, edgeitems=1)
case("f32 edge items 0", randn(5, 6), threshold=10, edgeitems=0)
case("f32 edge items 0 vector", randn(30), threshold=10, edgeitems=0)
case("f32 edge items 0 whole shown", randn(3), edgeitems=0)
case("f32 edge items 5 wraps", randn(40), threshold=10, edgeitems=5)
case("f32 hidden values do not count", torch.cat([torch.ones(500), t([1e9]), torch.ones(600)]))

case("i64 scalar", t(5))
case("i64 vector", t([1, -20, 300]))
case("i64 extremes", t([2**63 - 1, -(2**63)]))
case("i64 matrix", torch.arange(60).reshape(3, 20) * 37 - 500)
case("i64 rank 3", torch.arange(24).reshape(2, 3, 4))
case("i64 two lines", torch.arange(100))
case("i64 long", torch.arange(2000))
case("i64 long matrix", torch.arange(2400).reshape(40, 60))
case("i64 long rank 3", torch.arange(2400).reshape(2, 40, 30))
case("i64 empty", torch.empty(0, dtype=torch.int64))
case("i64 empty matrix", torch.empty(3, 0, dtype=torch.int64))
case("bool scalar", t(True))
case("bool vector", t([True, False, True]))
case("bool true only", t([True, True]))
case("bool matrix", torch.arange(40).reshape(2, 20) % 3 == 0)
case("bool long", torch.arange(1500) % 2 == 0)
case("bool long true", torch.ones(50, 50, dtype=torch.bool))
case("bool empty", torch.empty(0, dtype=torch.bool))
case("bool empty matrix", torch.empty(2, 0, dtype=torch.bool))

save_file(cases, FOLDER / "print.safetensors", metadata=meta)
(FOLDER / "print.safetensors").chmod(0o644)
print(len(cases), "cases")
report(FOLDER / "print.safetensors")
