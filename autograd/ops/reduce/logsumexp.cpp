#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

namespace {

constexpr Definition logsumexp_definition{
    "y = log sum exp x, over dims",
    "dx = g exp(x - y); 0 where y = -inf; where y = inf, the x that are inf share g evenly"};

Grads logsumexp_formula(const Saved& s, const Tensor& g0) {
  const Tensor x = s.input(), y = with_dims(s, s.output(), x.shape()),
               g = with_dims(s, g0, x.shape()), infinite = abs(y) == INFINITY;
  if (!any(abs(y) > 128)) return {g * exp(x - y)};
  const auto total = [&](const Tensor& p) { return sum(p, s.dims("dims"), keepdim); };
  const Tensor top = logical_and(x == INFINITY, y == INFINITY), share = to(top, x.dtype()),
               p = exp(masked_fill(x, y == INFINITY, 0) - masked_fill(y, infinite, 0));
  // a large y is rounded, which scales all exp(x - y) by one factor: their sum, which should be 1
  const Tensor usual = logical_or(infinite, abs(y) <= 128),
               factor = masked_fill(total(p), usual, 1);
  return {g * where(y == INFINITY, share / total(share), p / factor)};
}

// m + log sum exp(x - m) with m = max x; an infinite m is not subtracted.
Tensor shifted(const Tensor& x, const Dims& dims, bool keep) {
  const NoGrad no_grad;
  if (count_of(x.shape(), dims) == 0) return log(sum(x, dims, keep));  // empty: log 0
  Tensor m = amax(x, dims, keepdim);
  m = masked_fill(m, abs(m) == INFINITY, 0);
  return log(sum(exp(x - m), dims, keep)) + m.reshape(reduced_shape(x.shape(), dims, keep));
}

}  // namespace

namespace ops {
extern const Op logsumexp{.name = "logsumexp",
                          .signature = "(*) -> (*)",
                          .definition = logsumexp_definition,
                          .saves = saves_input(0) | saves_output,
                          .formula = logsumexp_formula};
}

Tensor logsumexp(const Tensor& x, const Dims& list, bool keep) {
  check_floating(x.dtype(), "logsumexp");
  const Dims dims = wrap_dims(list, x.rank(), "logsumexp");
  return ops::logsumexp.record(shifted(x, dims, keep), {x}, {{"dims", dims}});
}

}  // namespace slope
