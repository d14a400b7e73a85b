// Sums over dims.
//   y = sum x, dx = g, repeated;   y = mean x, dx = g / n, repeated
#include <slope/autograd/ops.h>
#include <slope/core/copy.h>
#include <slope/core/reduce.h>

namespace slope {

namespace {

// g, which lacks the dims that were reduced, over x's shape again.
Tensor repeated(const Saved& s, const Tensor& g) {
  const Dims& shape = s.dims("shape");
  return expand(g.reshape(reduced_shape(shape, s.dims("dims"), keepdim)), shape);
}

int64_t count_of(const Dims& shape, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= shape[static_cast<size_t>(d)];
  return n;
}

Tensor plain_reshape(const Tensor& x, const Dims& shape) { return Tensor(x.storage(), *x.layout().reshape(shape), x.dtype()); }

}  // namespace

namespace ops {
extern const Op sum{.name = "sum", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) { return Grads{repeated(s, g)}; }};
extern const Op mean{.name = "mean", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
                       return Grads{repeated(s, g / static_cast<double>(count_of(s.dims("shape"), s.dims("dims"))))};
                     }};
// y = x, summed over what broadcasting y's shape to x's repeats; dx = g, repeated
extern const Op sum_to{.name = "sum_to", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) { return Grads{expand(g, s.dims("shape"))}; }};
}  // namespace ops

Tensor sum(const Tensor& x, const Dims& list, bool keep) {
  const Dims dims = wrap_dims(list, x.rank(), "sum");
  Tensor y = reduce_sum(x, dims, keep);
  return x.requires_grad() ? ops::sum.record(y, {x}, {{"shape", x.shape()}, {"dims", dims}}) : y;
}

Tensor mean(const Tensor& x, const Dims& list, bool keep) {
  SLOPE_CHECK_DTYPE(is_floating(x.dtype()), "mean: needs float32 or float64, got {}", name(x.dtype()));
  const Dims dims = wrap_dims(list, x.rank(), "mean");
  const int64_t n = count_of(x.shape(), dims);
  Tensor y = reduce_sum(x, dims, keep, "mean");
  visit_floating(y.dtype(), "mean", [&]<class T> {
    const auto out = y.write<T>();
    for (int64_t i = 0; i < y.numel(); ++i) out.get()[i] /= static_cast<T>(n);
  });
  return x.requires_grad() ? ops::mean.record(y, {x}, {{"shape", x.shape()}, {"dims", dims}}) : y;
}

Tensor sum_to(const Tensor& x, const Dims& shape) {
  SLOPE_CHECK_SHAPE(broadcasts_to(shape, x.shape()), "sum_to: shape {} does not broadcast to {}", shape, x.shape());
  Dims dims;
  const int64_t extra = x.rank() - static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d < extra || (shape[static_cast<size_t>(d - extra)] == 1 && x.shape()[static_cast<size_t>(d)] != 1)) dims.push_back(d);
  Tensor y = dims.empty() ? contiguous_copy(x) : plain_reshape(reduce_sum(x, dims, false, "sum_to"), shape);
  return x.requires_grad() ? ops::sum_to.record(y, {x}, {{"shape", x.shape()}}) : y;
}

}  // namespace slope
