// y = product of x over one dim, or over everything
//   dx_i = g prod_{j != i} x_j
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/modular.h>
#include <slope/core/loops/parallel.h>

namespace slope {

namespace {

// Without zeros g y / x. With them every element gets its own product, of a row in which it is
// replaced by 1: right to any order, as far as the product itself neither over- nor underflows.
Grads formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const int64_t dim = s.integer("dim"), n = x.rank() == 0 ? 1 : x.size(dim);
  if (n == 0) return {zeros_like(x)};
  if (n == 1) return {g.reshape(x.shape())};
  const Dims kept = reduced_shape(x.shape(), {dim}, keepdim);
  const Tensor flowing = g.reshape(kept);
  if (!any(x == 0)) return {flowing * (s.output().reshape(kept) / x)};
  const Tensor last = x.movedim(dim, -1);  // (*, n)
  Dims pairs = last.shape();
  pairs.push_back(n);
  // (*, n, n): row i has 1 in place of x_i
  const Tensor rows = masked_fill(expand(last.unsqueeze(-2), pairs), eye(n, n, boolean), 1);
  return {flowing * prod(rows, -1).movedim(-1, dim)};
}

// One pass forwards and one backwards: the products of what stands before and after each element.
Grads kernel(const Saved& s, const Tensor& g) {
  const Tensor x = contiguous_copy(s.input()), dx = Tensor::empty(x.shape(), x.dtype()),
               flowing = contiguous_copy(g);
  const Around around(x.shape(), s.integer("dim"));
  visit_floating(x.dtype(), "prod", [&]<class T> {
    const T *px = x.data<T>(), *pg = flowing.data<T>();
    const auto out = dx.write<T>();
    T* pd = out;
    const int64_t n = around.n, inner = around.inner;
    parallel_for(around.outer * inner, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(n, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t start = i / inner * n * inner + i % inner;
                     T before = pg[i], after = 1;
                     for (int64_t k = 0; k < n; before *= px[start + k * inner], ++k)
                       pd[start + k * inner] = before;
                     for (int64_t k = n - 1; k >= 0; after *= px[start + k * inner], --k)
                       pd[start + k * inner] *= after;
                   }
                 });
  });
  return {dx};
}

}  // namespace

namespace ops {
extern const Op prod{.name = "prod",
                     .signature = "(*) -> (*)",
                     .saves = saves_input(0) | saves_output,
                     .formula = formula,
                     .kernel = kernel};
}

Tensor prod(const Tensor& x0, int64_t d, bool keep) {
  const Tensor x = x0.dtype() == boolean ? to(x0, i64) : x0;
  const int64_t dim = wrap_dim(d, x.rank(), "prod");
  const Around around(x.shape(), dim);
  Tensor y =
      Tensor::empty(x.rank() == 0 ? Dims{} : reduced_shape(x.shape(), {dim}, keep), x.dtype());
  const Tensor source = x.is_contiguous() ? x : contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const T* px = source.data<T>();
    const auto out = y.write<T>();
    T* py = out;
    const int64_t n = around.n, inner = around.inner;
    parallel_for(
        around.outer * inner, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(n, 1)),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            T product = 1;
            for (int64_t k = 0; k < n; ++k)
              product = static_cast<T>(modular(product) *
                                       modular(px[i / inner * n * inner + k * inner + i % inner]));
            py[i] = product;
          }
        });
  });
  return ops::prod.record(y, {x}, {{"dim", dim}});
}

Tensor prod(const Tensor& x) { return prod(x.reshape({-1}), 0); }

}  // namespace slope
