#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/reduce/softmax.h>

namespace slope {

namespace {

constexpr Definition log_softmax_definition{
    "y_i = x_i - max x - log sum_j exp(x_j - max x), over dim", "dx = g - exp(y) sum g"};

Grads log_softmax_formula(const Saved& s, const Tensor& g) {
  return {g - exp(s.output()) * sum(g, {s.integer("dim")}, keepdim)};
}

Grads log_softmax_kernel(const Saved& s, const Tensor& g) {
  const auto rows = []<class T>(int64_t rows, int64_t n, const T* y, const T* g, T* dx) {
    kernels<SoftmaxKernels<T>>().log_softmax_backward(rows, n, y, g, dx);
  };
  return {map_rows("log_softmax", s.integer("dim"), rows, s.output(), g)};
}

}  // namespace

namespace ops {
extern const Op log_softmax{.name = "log_softmax",
                            .signature = "(*) -> (*)",
                            .definition = log_softmax_definition,
                            .saves = saves_output,
                            .formula = log_softmax_formula,
                            .kernel = log_softmax_kernel};
}

Tensor log_softmax(const Tensor& x, int64_t dim) {
  dim = wrap_dim(dim, x.rank(), "log_softmax");
  const auto rows = []<class T>(int64_t rows, int64_t n, const T* x, T* y) {
    kernels<SoftmaxKernels<T>>().log_softmax(rows, n, x, y);
  };
  return ops::log_softmax.record(map_rows("log_softmax", dim, rows, x), {x}, {{"dim", dim}});
}

}  // namespace slope
