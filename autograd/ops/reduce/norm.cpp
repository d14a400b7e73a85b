#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>

#include <limits>
#include <tuple>

namespace slope {

namespace {

constexpr Definition norm_definition{
    "y = (sum |x|^p)^(1/p), over dims; max |x| for p = inf",
    "dx = g sign x |x|^(p-1) / y^(p-1), 0 where y = 0; for p = inf the largest |x| share g evenly"};

// Whether 1 / y^2 is far from over- and underflow wherever y != 0.
bool moderate(const Tensor& y) {
  const double most = y.dtype() == f32 ? 1e15 : 1e100;
  return all(logical_or(logical_and(y >= 1 / most, y <= most), y == 0));
}

// |r|^(p-1), r = x / y; 0 where x = 0, as is any derivative that exists there. For p < 2 the power
// may be far from 0 where r underflows: then, with s = 2^64, it is |s x|^(p-1) / y^(p-1) / s^(p-1).
Tensor power_of_ratio(const Tensor& x, const Tensor& y, const Tensor& r, double p) {
  const double least =
      r.dtype() == f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const Tensor tiny = logical_and(abs(r) < least, x != 0), zero = r == 0;
  if (p >= 2 || !any(tiny)) return masked_fill(pow(abs(masked_fill(r, zero, 1)), p - 1), zero, 0);
  const Tensor by_parts = pow(abs(masked_fill(x, !tiny, 1)) * 0x1p64, p - 1) / pow(y, p - 1) *
                          std::pow(0x1p-64, p - 1),
               by_ratio = pow(abs(masked_fill(r, logical_or(tiny, zero), 1)), p - 1);
  return masked_fill(where(tiny, by_parts, by_ratio), x == 0, 0);
}

Grads norm_formula(const Saved& s, const Tensor& g0) {
  Tensor x = s.input(), y = with_dims(s, s.output(), x.shape());
  const Tensor g = with_dims(s, g0, x.shape());
  const double p = s.number("p");
  if (p == 1) return {g * sign(x)};
  if (std::isinf(p)) {
    const Tensor m = to(abs(x.detach()) == y.detach(), x.dtype());
    return {g * (sign(x) * (m / sum(m, s.dims("dims"), keepdim)))};
  }
  std::tie(x, y) = in_moderate_units(
      x, y, s.dims("dims"), [&](const Tensor& u) { return norm(u, p, s.dims("dims"), keepdim); });
  const Tensor none = y == 0, h = masked_fill(g, none, 0), divisor = masked_fill(y, none, 1);
  if (p == 2 && moderate(y)) return {x * (h / divisor)};
  const Tensor r = x / divisor;  // |r| <= 1: r^q does not overflow for q >= 0
  if (p == 2) return {h * r};
  if (std::fmod(p, 2) == 0) return {h * pow(r, p - 1)};
  return {h * (sign(x) * power_of_ratio(x, divisor, r, p))};
}

Tensor norm_of(const Tensor& x, double p, const Dims& dims, bool keep) {
  const NoGrad no_grad;
  if (p == 1) return sum(abs(x), dims, keep);
  if (std::isinf(p)) return x.numel() == 0 ? sum(x, dims, keep) : amax(abs(x), dims, keep);
  return homogeneous(x, p, dims, keep, [&](const Tensor& x) {
    return p == 2 ? sqrt(sum(x * x, dims, keep)) : pow(sum(pow(abs(x), p), dims, keep), 1 / p);
  });
}

}  // namespace

namespace ops {
extern const Op norm{.name = "norm",
                     .signature = "(*) -> (*)",
                     .definition = norm_definition,
                     .saves = saves_input(0) | saves_output,
                     .formula = norm_formula};
}

Tensor norm(const Tensor& x, double p, const Dims& list, bool keep) {
  check_floating(x.dtype(), "norm");
  SLOPE_CHECK(p > 0, "norm: p must be positive, got {}", p);
  const Dims dims = wrap_dims(list, x.rank(), "norm");
  return ops::norm.record(norm_of(x, p, dims, keep), {x}, {{"p", p}, {"dims", dims}});
}

}  // namespace slope
