// Sums over dims.
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

constexpr Definition sum_definition{"y = sum x, over dims", "dx = g, repeated"};
Grads sum_formula(const Saved& s, const Tensor& g) {
  const Dims& shape = s.dims("shape");
  return {expand(with_dims(s, g, shape), shape)};
}

constexpr Definition mean_definition{"y = sum x / n, over dims with n elements",
                                     "dx = g / n, repeated"};
Grads mean_formula(const Saved& s, const Tensor& g) {
  const Dims& shape = s.dims("shape");
  const auto n = static_cast<double>(count_of(shape, s.dims("dims")));
  // a mean of nothing: g / 0 would give nan in the second derivative
  return {expand(with_dims(s, n == 0 ? g : g / n, shape), shape)};
}

constexpr Definition sum_to_definition{"y = x, summed over what broadcasting y to x repeats",
                                       "dx = g, repeated"};
Grads sum_to_formula(const Saved& s, const Tensor& g) { return {expand(g, s.dims("shape"))}; }

}  // namespace

namespace ops {
extern const Op sum{
    .name = "sum", .signature = "(*) -> (*)", .definition = sum_definition, .formula = sum_formula};
extern const Op mean{.name = "mean",
                     .signature = "(*) -> (*)",
                     .definition = mean_definition,
                     .formula = mean_formula};
extern const Op sum_to{.name = "sum_to",
                       .signature = "(*) -> (*)",
                       .definition = sum_to_definition,
                       .formula = sum_to_formula};
}  // namespace ops

Tensor sum(const Tensor& x, const Dims& list, bool keep) {
  const Dims dims = wrap_dims(list, x.rank(), "sum");
  const Tensor y = reduce_sum(x, dims, keep);
  return x.requires_grad() ? ops::sum.record(y, {x}, {{"shape", x.shape()}, {"dims", dims}})
                           : ops::sum.record(y, {x});
}

Tensor mean(const Tensor& x, const Dims& list, bool keep) {
  check_floating(x.dtype(), "mean");
  const Dims dims = wrap_dims(list, x.rank(), "mean");
  const int64_t n = count_of(x.shape(), dims);
  const Tensor y = reduce_sum(x, dims, keep, "mean");
  visit_floating(y.dtype(), "mean", [&]<class T> {
    const auto out = y.write<T>();
    for (int64_t i = 0; i < y.numel(); ++i) out[i] /= static_cast<T>(n);
  });
  return x.requires_grad() ? ops::mean.record(y, {x}, {{"shape", x.shape()}, {"dims", dims}})
                           : ops::mean.record(y, {x});
}

Tensor sum_to(const Tensor& x, const Dims& shape) {
  SLOPE_CHECK_SHAPE(broadcasts_to(shape, x.shape()), "sum_to: shape {} does not broadcast to {}",
                    shape, x.shape());
  Dims dims;
  const int64_t extra = x.rank() - static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d < extra ||
        (shape[static_cast<size_t>(d - extra)] == 1 && x.shape()[static_cast<size_t>(d)] != 1))
      dims.push_back(d);
  const Tensor y =
      dims.empty() ? contiguous_copy(x) : reshaped(reduce_sum(x, dims, false, "sum_to"), shape);
  return x.requires_grad() ? ops::sum_to.record(y, {x}, {{"shape", x.shape()}})
                           : ops::sum_to.record(y, {x});
}

}  // namespace slope
