// The activations with a kink at 0 or elsewhere. Most are f(x) where x <= 0, else x: the derivative
// at 0 is f'(0), as in PyTorch, and f never sees a positive x, which it might multiply by an
// infinite or nan slope.
#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/layers.h>

namespace slope::nn {

namespace {

// f(x) where x <= 0, else x
template <class F>
Tensor below_zero(const Tensor& x, const F& f) {
  const Tensor below = x <= 0;
  return where(below, f(masked_fill(x, !below, 0)), x);
}

// e^x - 1; at 0 it is x, so that the second derivative there is PyTorch's, 0
Tensor decay(const Tensor& x) { return where(x == 0, x, expm1(x)); }

}  // namespace

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return below_zero(x, [&](const Tensor& z) { return negative_slope * z; });
}

Tensor prelu(const Tensor& x, const Tensor& weight) {
  const int64_t channels = x.rank() > 1 ? x.size(1) : 1;
  SLOPE_CHECK_SHAPE(weight.rank() <= 1 && (weight.numel() == 1 || weight.numel() == channels),
                    "prelu: needs 1 slope or {}, one for each channel of {}; got {}", channels,
                    x.shape(), weight.shape());
  detail::check_dtype("prelu", "weight", weight, x);
  Dims shape(static_cast<size_t>(x.rank()), 1);
  if (x.rank() > 1) shape[1] = weight.numel();
  return below_zero(x, [&](const Tensor& z) { return weight.reshape(shape) * z; });
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool train) {
  SLOPE_CHECK(lower <= upper, "rrelu: lower {} is above upper {}", lower, upper);
  if (!train) return leaky_relu(x, (lower + upper) / 2);
  const Tensor slope = lower + (upper - lower) * rand_like(x);
  return below_zero(x, [&](const Tensor& z) { return slope * z; });
}

Tensor elu(const Tensor& x, double alpha) {
  return below_zero(x, [&](const Tensor& z) { return alpha * decay(z); });
}

Tensor selu(const Tensor& x) {
  constexpr double alpha = 1.6732632423543772848170429916717,
                   scale = 1.0507009873554804934193349852946;
  return scale * elu(x, alpha);
}

Tensor celu(const Tensor& x, double alpha) {
  SLOPE_CHECK(alpha != 0, "celu: alpha must not be 0");
  return below_zero(x, [&](const Tensor& z) { return alpha * decay(z / alpha); });
}

Tensor hardtanh(const Tensor& x, double low, double high) {
  SLOPE_CHECK(low <= high, "hardtanh: min_val {} is above max_val {}", low, high);
  return where(logical_and(x > low, x < high), x, clamp(x.detach(), low, high));
}
Tensor relu6(const Tensor& x) { return hardtanh(x, 0, 6); }
Tensor hardsigmoid(const Tensor& x) { return (hardtanh(x, -3, 3) + 3) / 6; }
// x hardsigmoid(x); from 3 and below -3 as relu(x), because an infinite x times 0 would be nan
Tensor hardswish(const Tensor& x) {
  const Tensor outside = logical_or(x <= -3, x >= 3), z = masked_fill(x, outside, 0);
  return where(outside, relu(x), detail::one_or_nan(x) * z * ((z + 3) / 6));
}

Tensor hardshrink(const Tensor& x, double lambda) { return masked_fill(x, abs(x) <= lambda, 0); }

Tensor softshrink(const Tensor& x, double lambda) {
  SLOPE_CHECK(lambda >= 0, "softshrink: lambda must not be negative, got {}", lambda);
  return x - clamp(x, -lambda, lambda);
}

Tensor threshold(const Tensor& x, double threshold, double value) {
  return masked_fill(x, x <= threshold, value);
}

}  // namespace slope::nn
