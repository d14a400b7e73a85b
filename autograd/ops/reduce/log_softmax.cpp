//   y_i = x_i - max x - log sum_j exp(x_j - max x)      over dim
//   dx  = g - exp(y) sum g
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/reduce/softmax.h>

namespace slope {

namespace {

Grads formula(const Saved& s, const Tensor& g) {
  const Tensor y = s.output();
  return Grads{g - exp(y) * sum(g, {s.integer("dim")}, keepdim)};
}

Grads kernel(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim");
  const Tensor y = to_rows(s.output(), dim), gs = to_rows(g, dim),
               dx = Tensor::empty(y.shape(), y.dtype());
  visit_floating(y.dtype(), "log_softmax", [&]<class T> {
    const T *py = y.data<T>(), *pg = gs.data<T>();
    T* out = dx.write<T>();
    for_rows(y, [&](int64_t rows, int64_t n, int64_t at) {
      kernels<SoftmaxKernels<T>>().log_softmax_backward(rows, n, py + at, pg + at, out + at);
    });
  });
  return Grads{from_rows(dx, dim)};
}

}  // namespace

namespace ops {
extern const Op log_softmax{.name = "log_softmax",
                            .signature = "(*) -> (*)",
                            .saves = saves_output,
                            .formula = formula,
                            .kernel = kernel};
}

Tensor log_softmax(const Tensor& x, int64_t dim) {
  dim = wrap_dim(dim, x.rank(), "log_softmax");
  const Tensor xs = to_rows(x, dim), y = Tensor::empty(xs.shape(), x.dtype());
  visit_floating(x.dtype(), "log_softmax", [&]<class T> {
    const T* px = xs.data<T>();
    T* out = y.write<T>();
    for_rows(xs, [&](int64_t rows, int64_t n, int64_t at) {
      kernels<SoftmaxKernels<T>>().log_softmax(rows, n, px + at, out + at);
    });
  });
  return ops::log_softmax.record(from_rows(y, dim), {x}, {{"dim", dim}});
}

}  // namespace slope
