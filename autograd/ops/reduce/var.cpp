// Variance and standard deviation, in two passes: the mean first, then the squares of what differs
// from it.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

namespace {

// n - correction, not below 0
double divisor(const Dims& shape, const Dims& dims, double correction) {
  return std::max(0.0, static_cast<double>(count_of(shape, dims)) - correction);
}

constexpr Definition var_definition{"y = sum (x - mean x)^2 / (n - correction), over dims",
                                    "dx = g 2 (x - mean x) / (n - correction)"};

Grads var_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const Dims& dims = s.dims("dims");
  const double n = divisor(x.shape(), dims, s.number("correction"));
  return {with_dims(s, g, x.shape()) * ((x - mean(x, dims, keepdim)) * (2 / n))};
}

constexpr Definition std_definition{"y = sqrt(sum (x - mean x)^2 / (n - correction)), over dims",
                                    "dx = g (x - mean x) / (y (n - correction)), 0 where y = 0"};

Grads std_formula(const Saved& s, const Tensor& g) {
  const Tensor y = s.output();
  return var_formula(s, masked_fill(g / (2 * y), y == 0, 0));
}

Tensor var_of(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const NoGrad no_grad;
  const Tensor d = x - mean(x, dims, keepdim);
  return sum(d * d, dims, keep) / divisor(x.shape(), dims, correction);
}

Tensor std_of(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const NoGrad no_grad;
  return sqrt(var_of(x, dims, correction, keep));
}

}  // namespace

namespace ops {
extern const Op var{.name = "var",
                    .signature = "(*) -> (*)",
                    .definition = var_definition,
                    .saves = saves_input(0),
                    .formula = var_formula};
extern const Op std{.name = "std",
                    .signature = "(*) -> (*)",
                    .definition = std_definition,
                    .saves = saves_input(0) | saves_output,
                    .formula = std_formula};
}  // namespace ops

Tensor var(const Tensor& x, const Dims& list, double correction, bool keep) {
  check_floating(x.dtype(), "var");
  const Dims dims = wrap_dims(list, x.rank(), "var");
  return ops::var.record(var_of(x, dims, correction, keep), {x},
                         {{"dims", dims}, {"correction", correction}});
}

Tensor std(const Tensor& x, const Dims& list, double correction, bool keep) {
  check_floating(x.dtype(), "std");
  const Dims dims = wrap_dims(list, x.rank(), "std");
  return ops::std.record(std_of(x, dims, correction, keep), {x},
                         {{"dims", dims}, {"correction", correction}});
}

}  // namespace slope
