#include <slope/autograd/ops/reduce/products.h>
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/modular.h>

#include <type_traits>
#include <vector>

namespace slope {

namespace {

constexpr Definition prod_definition{"y = prod x, over one dim", "dx_i = g prod_{j != i} x_j"};

// For each element the product of all others on its line, as a composite. Neighbours are multiplied
// in pairs; an element's result is its partner times the product of all other pairs.
Tensor others_in_pairs(const Tensor& x) {  // (*, n)
  const int64_t n = x.size(-1), pairs = (n + 1) / 2;
  if (n == 1) return ones_like(x);
  const Tensor even = pad(x, {0, 2 * pairs - n}, 1), first = even.slice(-1, 0, 2 * pairs, 2),
               second = even.slice(-1, 1, 2 * pairs, 2), rest = others_in_pairs(first * second);
  Dims shape = x.shape();
  shape.back() = 2 * pairs;
  return stack({rest * second, rest * first}, -1).reshape(shape).narrow(-1, 0, n);
}

Tensors others_reference(const Saved& s) {
  const int64_t dim = s.integer("dim");
  return {others_in_pairs(s.input().movedim(dim, -1)).movedim(-1, dim)};
}

// One pass forwards, one backwards: the products of the elements before and after each element.
template <class T>
void others_of_line(const T* x, T* y, int64_t n, int64_t step) {
  PlainProduct<T> before, after;
  for (int64_t k = 0; k < n; before.times(x[k * step]), ++k) y[k * step] = before.value;
  for (int64_t k = n - 1; k >= 0; after.times(x[k * step]), --k) y[k * step] *= after.value;
  if (before.keeps_digits() && after.keeps_digits()) return;
  std::vector<ScaledProduct> scaled(static_cast<size_t>(n));
  ScaledProduct product;
  for (int64_t k = 0; k < n; product.times(x[k * step]), ++k)
    scaled[static_cast<size_t>(k)] = product;
  product = {};
  for (int64_t k = n - 1; k >= 0; product.times(x[k * step]), --k)
    y[k * step] = static_cast<T>(scaled[static_cast<size_t>(k)].with(product).value());
}

// dx_i = sum_{j != i} g_j prod_{k != i, j} x_k: the derivative of the others' product along g
template <class T>
void slopes_of_line(const T* x, const T* g, T* dx, int64_t n, int64_t step) {
  std::vector<DirectedProduct> before(static_cast<size_t>(n));
  DirectedProduct product;
  const auto times = [&](int64_t k) {
    product.times(static_cast<double>(x[k * step]), static_cast<double>(g[k * step]));
  };
  for (int64_t k = 0; k < n; times(k), ++k) before[static_cast<size_t>(k)] = product;
  product = {};
  for (int64_t k = n - 1; k >= 0; times(k), --k) {
    const DirectedProduct& b = before[static_cast<size_t>(k)];
    const ScaledProduct d = b.slope.with(product.value).plus(b.value.with(product.slope));
    dx[k * step] = static_cast<T>(d.value());
  }
}

Grads others_kernel(const Saved& s, const Tensor& g) {
  const Tensor x = contiguous_values(s.input()), gs = contiguous_values(g),
               dx = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), "prod", [&]<class T> {
    const T *px = x.data<T>(), *pg = gs.data<T>();
    const auto out = dx.write<T>();
    const AxisSplit split(x.shape(), s.integer("dim"));
    for_lines(split, 1 << 11, [&](int64_t, int64_t first, int64_t step) {
      slopes_of_line<T>(px + first, pg + first, out + first, split.n, step);
    });
  });
  return {dx};
}

constexpr Op others_op{.name = "prod_others",
                       .saves = saves_input(0),
                       .kernel = others_kernel,
                       .reference = others_reference};

Tensor others(const Tensor& x, int64_t dim) {
  const Tensor source = contiguous_values(x), y = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), "prod", [&]<class T> {
    const T* px = source.data<T>();
    const auto out = y.write<T>();
    const AxisSplit split(x.shape(), dim);
    for_lines(split, 1 << 14, [&](int64_t, int64_t first, int64_t step) {
      others_of_line<T>(px + first, out + first, split.n, step);
    });
  });
  return others_op.record(y, {x}, {{"dim", dim}});
}

Grads prod_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  if (x.numel() == 0) return {zeros_like(x)};
  if (x.rank() == 0) return {g.reshape(x.shape())};
  const int64_t dim = s.integer("dim");
  return {g.reshape(reduced_shape(x.shape(), {dim}, keepdim)) * others(x, dim)};
}

}  // namespace

namespace ops {
extern const Op prod{.name = "prod",
                     .signature = "(*) -> (*)",
                     .definition = prod_definition,
                     .saves = saves_input(0),
                     .formula = prod_formula};
}

Tensor prod(const Tensor& x0, int64_t d, bool keep) {
  refuse_bf16(x0.dtype(), "prod");
  const Tensor x = x0.dtype() == boolean ? to(x0, i64) : x0;
  const int64_t dim = wrap_dim(d, x.rank(), "prod");
  const AxisSplit split(x.shape(), dim);
  const Tensor y = Tensor::empty(x.rank() == 0 ? Dims{} : reduced_shape(x.shape(), {dim}, keep),
                                 x.dtype()),
               source = contiguous_values(x);
  visit(x.dtype(), [&]<class T> {
    const T* px = source.data<T>();
    const auto out = y.write<T>();
    for_lines(split, 1 << 15, [&](int64_t i, int64_t first, int64_t step) {
      if constexpr (std::is_floating_point_v<T>) {
        PlainProduct<T> product;
        for (int64_t k = 0; k < split.n; ++k) product.times(px[first + k * step]);
        out[i] = product.value;
        if (product.keeps_digits()) return;
        ScaledProduct scaled;
        for (int64_t k = 0; k < split.n; ++k) scaled.times(px[first + k * step]);
        out[i] = static_cast<T>(scaled.value());
      } else {
        T product = 1;
        for (int64_t k = 0; k < split.n; ++k)
          product = static_cast<T>(modular(product) * modular(px[first + k * step]));
        out[i] = product;
      }
    });
  });
  return ops::prod.record(y, {x}, {{"dim", dim}});
}

Tensor prod(const Tensor& x) { return prod(x.reshape({-1}), 0); }

}  // namespace slope
