// y = log sum exp x = m + log sum exp(x - m) with m = max x; infinite m are left
// out of the differences
//   dx = g exp(x - y)
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

namespace ops {
extern const Op logsumexp{.name = "logsumexp",
                          .signature = "(*) -> (*)",
                          .saves = saves_input(0) | saves_output,
                          .formula = [](const Saved& s, const Tensor& g) {
                            const Tensor x = s.input(), y = with_dims(s, s.output(), x.shape());
                            return Grads{with_dims(s, g, x.shape()) * exp(x - y)};
                          }};
}

Tensor logsumexp(const Tensor& x, const Dims& list, bool keep) {
  check_floating(x.dtype(), "logsumexp");
  const Dims dims = wrap_dims(list, x.rank(), "logsumexp");
  Tensor y;
  {
    const NoGrad no_grad;
    if (count_of(x.shape(), dims) == 0) {
      y = log(sum(x, dims, keep));  // of nothing: log 0
    } else {
      Tensor m = amax(x, dims, keepdim);
      m = masked_fill(m, abs(m) == INFINITY, 0);
      y = log(sum(exp(x - m), dims, keep)) + m.reshape(reduced_shape(x.shape(), dims, keep));
    }
  }
  return ops::logsumexp.record(y, {x}, {{"dims", dims}});
}

}  // namespace slope
