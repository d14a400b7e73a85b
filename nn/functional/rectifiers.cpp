// The activations with a kink at 0 or elsewhere. Most are relu(x) + f(min(x, 0)): the derivative at
// 0 is f'(0), as in PyTorch, and f never sees a positive infinity, which it might multiply by 0.
#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/layers.h>

namespace slope::nn {

namespace {

Tensor below(const Tensor& x) { return clamp(x, {}, 0); }  // min(x, 0), derivative 1 at 0

}  // namespace

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return relu(x) + negative_slope * below(x);
}

Tensor prelu(const Tensor& x, const Tensor& weight) {
  const int64_t channels = x.rank() > 1 ? x.size(1) : 1;
  SLOPE_CHECK_SHAPE(weight.rank() <= 1 && (weight.numel() == 1 || weight.numel() == channels),
                    "prelu: needs 1 slope or {}, one for each channel of {}; got {}", channels,
                    x.shape(), weight.shape());
  detail::check_dtype("prelu", "weight", weight, x);
  Dims shape(static_cast<size_t>(x.rank()), 1);
  if (x.rank() > 1) shape[1] = weight.numel();
  return relu(x) + weight.reshape(shape) * below(x);
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool train) {
  SLOPE_CHECK(lower <= upper, "rrelu: lower {} is above upper {}", lower, upper);
  if (!train) return leaky_relu(x, (lower + upper) / 2);
  return relu(x) + (lower + (upper - lower) * rand_like(x)) * below(x);
}

Tensor elu(const Tensor& x, double alpha) { return relu(x) + alpha * expm1(below(x)); }

Tensor selu(const Tensor& x) {
  constexpr double alpha = 1.6732632423543772848170429916717,
                   scale = 1.0507009873554804934193349852946;
  return scale * elu(x, alpha);
}

Tensor celu(const Tensor& x, double alpha) {
  SLOPE_CHECK(alpha != 0, "celu: alpha must not be 0");
  return relu(x) + alpha * expm1(below(x) / alpha);
}

Tensor hardtanh(const Tensor& x, double low, double high) {
  SLOPE_CHECK(low <= high, "hardtanh: min_val {} is above max_val {}", low, high);
  return where(logical_and(x > low, x < high), x, clamp(x.detach(), low, high));
}
Tensor relu6(const Tensor& x) { return hardtanh(x, 0, 6); }
Tensor hardsigmoid(const Tensor& x) { return (hardtanh(x, -3, 3) + 3) / 6; }
Tensor hardswish(const Tensor& x) { return x * hardsigmoid(x); }

Tensor hardshrink(const Tensor& x, double lambda) { return masked_fill(x, abs(x) <= lambda, 0); }

Tensor softshrink(const Tensor& x, double lambda) {
  SLOPE_CHECK(lambda >= 0, "softshrink: lambda must not be negative, got {}", lambda);
  return x - clamp(x, -lambda, lambda);
}

Tensor threshold(const Tensor& x, double threshold, double value) {
  return masked_fill(x, x <= threshold, value);
}

}  // namespace slope::nn
