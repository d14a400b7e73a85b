// Sums over dims.
//   y = sum x, dx = g, repeated;   y = mean x, dx = g / n, repeated
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace ops {
extern const Op sum{
    .name = "sum", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      const Dims& shape = s.dims("shape");
      return Grads{expand(with_dims(s, g, shape), shape)};
    }};
extern const Op mean{
    .name = "mean", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      const Dims& shape = s.dims("shape");
      return Grads{expand(
          with_dims(s, g / static_cast<double>(count_of(shape, s.dims("dims"))), shape), shape)};
    }};
// y = x, summed over what broadcasting y's shape to x's repeats; dx = g, repeated
extern const Op sum_to{
    .name = "sum_to", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{expand(g, s.dims("shape"))};
    }};
}  // namespace ops

Tensor sum(const Tensor& x, const Dims& list, bool keep) {
  const Dims dims = wrap_dims(list, x.rank(), "sum");
  Tensor y = reduce_sum(x, dims, keep);
  return x.requires_grad() ? ops::sum.record(y, {x}, {{"shape", x.shape()}, {"dims", dims}})
                           : ops::sum.record(y, {x});
}

Tensor mean(const Tensor& x, const Dims& list, bool keep) {
  check_floating(x.dtype(), "mean");
  const Dims dims = wrap_dims(list, x.rank(), "mean");
  const int64_t n = count_of(x.shape(), dims);
  Tensor y = reduce_sum(x, dims, keep, "mean");
  visit_floating(y.dtype(), "mean", [&]<class T> {
    const auto out = y.write<T>();
    for (int64_t i = 0; i < y.numel(); ++i) out.get()[i] /= static_cast<T>(n);
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
  Tensor y =
      dims.empty() ? contiguous_copy(x) : reshaped(reduce_sum(x, dims, false, "sum_to"), shape);
  return x.requires_grad() ? ops::sum_to.record(y, {x}, {{"shape", x.shape()}})
                           : ops::sum_to.record(y, {x});
}

}  // namespace slope
