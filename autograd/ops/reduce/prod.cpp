#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/modular.h>

namespace slope {

namespace {

constexpr Definition prod_definition{"y = prod x, over one dim", "dx_i = g prod_{j != i} x_j"};

// Without zeros g y / x. With them every element gets its own product, of a row in which it is
// replaced by 1: right to any order, as far as the product itself neither over- nor underflows.
Grads prod_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const int64_t dim = s.integer("dim"), n = x.rank() == 0 ? 1 : x.size(dim);
  if (n == 0) return {zeros_like(x)};
  if (n == 1) return {g.reshape(x.shape())};
  const Dims kept = reduced_shape(x.shape(), {dim}, keepdim);
  const Tensor grad = g.reshape(kept);
  if (!any(x == 0)) return {grad * (s.output().reshape(kept) / x)};
  const Tensor last = x.movedim(dim, -1);  // (*, n)
  Dims pairs = last.shape();
  pairs.push_back(n);
  // (*, n, n): row i has 1 in place of x_i
  const Tensor rows = masked_fill(expand(last.unsqueeze(-2), pairs), eye(n, n, boolean), 1);
  return {grad * prod(rows, -1).movedim(-1, dim)};
}

// One pass forwards and one backwards: the products of what stands before and after each element.
Grads prod_kernel(const Saved& s, const Tensor& g) {
  const Tensor x = contiguous_copy(s.input()), dx = Tensor::empty(x.shape(), x.dtype()),
               grad = contiguous_copy(g);
  const AxisSplit split(x.shape(), s.integer("dim"));
  visit_floating(x.dtype(), "prod", [&]<class T> {
    const T *px = x.data<T>(), *pg = grad.data<T>();
    const auto out = dx.write<T>();
    for_lines(split, 1 << 14, [&](int64_t i, int64_t first, int64_t step) {
      const T* row = px + first;
      T* to = out + first;
      T before = pg[i], after = 1;
      for (int64_t k = 0; k < split.n; before *= row[k * step], ++k) to[k * step] = before;
      for (int64_t k = split.n - 1; k >= 0; after *= row[k * step], --k) to[k * step] *= after;
    });
  });
  return {dx};
}

}  // namespace

namespace ops {
extern const Op prod{.name = "prod",
                     .signature = "(*) -> (*)",
                     .definition = prod_definition,
                     .saves = saves_input(0) | saves_output,
                     .formula = prod_formula,
                     .kernel = prod_kernel};
}

Tensor prod(const Tensor& x0, int64_t d, bool keep) {
  const Tensor x = x0.dtype() == boolean ? to(x0, i64) : x0;
  const int64_t dim = wrap_dim(d, x.rank(), "prod");
  const AxisSplit split(x.shape(), dim);
  const Tensor y = Tensor::empty(x.rank() == 0 ? Dims{} : reduced_shape(x.shape(), {dim}, keep),
                                 x.dtype()),
               source = x.is_contiguous() ? x : contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const T* px = source.data<T>();
    const auto out = y.write<T>();
    for_lines(split, 1 << 15, [&](int64_t i, int64_t first, int64_t step) {
      T product = 1;
      for (int64_t k = 0; k < split.n; ++k)
        product = static_cast<T>(modular(product) * modular(px[first + k * step]));
      out[i] = product;
    });
  });
  return ops::prod.record(y, {x}, {{"dim", dim}});
}

Tensor prod(const Tensor& x) { return prod(x.reshape({-1}), 0); }

}  // namespace slope
