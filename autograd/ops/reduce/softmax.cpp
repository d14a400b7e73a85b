//   y_i = exp(x_i - max x) / sum_j exp(x_j - max x)      over dim
//   dx  = y (g - <g, y>)
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/reduce/softmax.h>

namespace slope {

namespace {

Grads formula(const Saved& s, const Tensor& g) {
  const Tensor y = s.output();
  return Grads{y * (g - sum(g * y, {s.integer("dim")}, keepdim))};
}

Grads kernel(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim");
  const Tensor y = to_rows(s.output(), dim), gs = to_rows(g, dim),
               dx = Tensor::empty(y.shape(), y.dtype());
  visit_floating(y.dtype(), "softmax", [&]<class T> {
    const T *py = y.data<T>(), *pg = gs.data<T>();
    T* out = dx.write<T>();
    for_rows(y, [&](int64_t rows, int64_t n, int64_t at) {
      kernels<SoftmaxKernels<T>>().softmax_backward(rows, n, py + at, pg + at, out + at);
    });
  });
  return Grads{from_rows(dx, dim)};
}

}  // namespace

namespace ops {
extern const Op softmax{.name = "softmax",
                        .signature = "(*) -> (*)",
                        .saves = saves_output,
                        .formula = formula,
                        .kernel = kernel};
}

Tensor softmax(const Tensor& x, int64_t dim) {
  dim = wrap_dim(dim, x.rank(), "softmax");
  const Tensor xs = to_rows(x, dim), y = Tensor::empty(xs.shape(), x.dtype());
  visit_floating(x.dtype(), "softmax", [&]<class T> {
    const T* px = xs.data<T>();
    T* out = y.write<T>();
    for_rows(xs, [&](int64_t rows, int64_t n, int64_t at) {
      kernels<SoftmaxKernels<T>>().softmax(rows, n, px + at, out + at);
    });
  });
  return ops::softmax.record(from_rows(y, dim), {x}, {{"dim", dim}});
}

}  // namespace slope
