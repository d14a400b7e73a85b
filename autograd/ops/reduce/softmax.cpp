#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/reduce/softmax.h>

namespace slope {

namespace {

constexpr Definition softmax_definition{"y_i = exp(x_i - max x) / sum_j exp(x_j - max x), over dim",
                                        "dx = y (g - <g, y>)"};

Grads softmax_formula(const Saved& s, const Tensor& g) {
  const Tensor y = s.output();
  return {y * (g - sum(g * y, {s.integer("dim")}, keepdim))};
}

Grads softmax_kernel(const Saved& s, const Tensor& g) {
  const auto rows = []<class T>(int64_t rows, int64_t n, const T* y, const T* g, T* dx) {
    kernels<SoftmaxKernels<T>>().softmax_backward(rows, n, y, g, dx);
  };
  return {map_rows("softmax", s.integer("dim"), rows, s.output(), g)};
}

}  // namespace

namespace ops {
extern const Op softmax{.name = "softmax",
                        .signature = "(*) -> (*)",
                        .definition = softmax_definition,
                        .saves = saves_output,
                        .formula = softmax_formula,
                        .kernel = softmax_kernel};
}

Tensor softmax(const Tensor& x, int64_t dim) {
  dim = wrap_dim(dim, x.rank(), "softmax");
  const auto rows = []<class T>(int64_t rows, int64_t n, const T* x, T* y) {
    kernels<SoftmaxKernels<T>>().softmax(rows, n, x, y);
  };
  return ops::softmax.record(map_rows("softmax", dim, rows, x), {x}, {{"dim", dim}});
}

}  // namespace slope
