// Variance and standard deviation over dims, in two passes: the mean first, then the squares of
// what differs from it.
//   v = sum (x - mean x)^2 / (n - correction),   dx = g 2 (x - mean x) / (n - correction)
//   y = sqrt v,                                  dx = g (x - mean x) / (y (n - correction)),
//                                                     0 where y = 0
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

namespace {

double divisor(const Saved& s, const Tensor& x) {
  return std::max(
      0.0, static_cast<double>(count_of(x.shape(), s.dims("dims"))) - s.number("correction"));
}

Tensor var_backward(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  return with_dims(s, g, x.shape()) *
         ((x - mean(x, s.dims("dims"), keepdim)) * (2 / divisor(s, x)));
}

Tensor two_passes(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const NoGrad no_grad;
  const Tensor d = x - mean(x, dims, keepdim);
  return sum(d * d, dims, keep) /
         std::max(0.0, static_cast<double>(count_of(x.shape(), dims)) - correction);
}

}  // namespace

namespace ops {
extern const Op var{
    .name = "var",
    .signature = "(*) -> (*)",
    .saves = saves_input(0),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{var_backward(s, g)}; }};
extern const Op std{.name = "std",
                    .signature = "(*) -> (*)",
                    .saves = saves_input(0) | saves_output,
                    .formula = [](const Saved& s, const Tensor& g) {
                      const Tensor y = s.output();
                      return Grads{var_backward(s, masked_fill(g / (2 * y), y == 0, 0))};
                    }};
}  // namespace ops

Tensor var(const Tensor& x, const Dims& list, double correction, bool keep) {
  check_floating(x.dtype(), "var");
  const Dims dims = wrap_dims(list, x.rank(), "var");
  return ops::var.record(two_passes(x, dims, correction, keep), {x},
                         {{"dims", dims}, {"correction", correction}});
}

Tensor std(const Tensor& x, const Dims& list, double correction, bool keep) {
  check_floating(x.dtype(), "std");
  const Dims dims = wrap_dims(list, x.rank(), "std");
  Tensor y;
  {
    const NoGrad no_grad;
    y = sqrt(two_passes(x, dims, correction, keep));
  }
  return ops::std.record(y, {x}, {{"dims", dims}, {"correction", correction}});
}

}  // namespace slope
