// Views of some of x's elements. dx is g at these elements and 0 elsewhere: the formula pads g, the
// kernel writes g into the same view of zeros.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

namespace {

int64_t input_size(const Saved& s, int64_t dim) {
  return s.input_shape()[static_cast<size_t>(dim)];
}

// pad's widths for one dim: `before` and `after` zeros around it
Dims widths(int64_t rank, int64_t dim, int64_t before, int64_t after) {
  Dims result(static_cast<size_t>(2 * rank), 0);
  result[static_cast<size_t>(2 * (rank - 1 - dim))] = before;
  result[static_cast<size_t>(2 * (rank - 1 - dim) + 1)] = after;
  return result;
}

// Zeros of x's shape, with g written into the view that `pick` takes of them.
template <class Pick>
Grads put_back(const Saved& s, const Tensor& g, const Pick& pick) {
  const Tensor dx = zeros(s.input_shape(), g.dtype());
  copy_into(g, view_of(dx, pick(dx.layout())));
  return {dx};
}

constexpr Definition narrow_definition{"y_i = x_{start + i}, along dim",
                                       "dx_{start + i} = g_i, else 0"};
Grads narrow_formula(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim"), start = s.integer("start");
  return {pad(g, widths(g.rank(), dim, start, input_size(s, dim) - start - g.size(dim)))};
}
Grads narrow_kernel(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim"), start = s.integer("start");
  return put_back(s, g, [&](const Layout& x) { return x.narrow(dim, start, g.size(dim)); });
}

constexpr Definition slice_definition{"y_i = x_{start + i step}, along dim",
                                      "dx_{start + i step} = g_i, else 0"};
Grads slice_formula(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim"), start = s.integer("start"), step = s.integer("step");
  Dims spaced = g.shape();
  spaced[static_cast<size_t>(dim)] *= step;
  const Dims gap = widths(g.rank() + 1, dim + 1, 0, step - 1);  // step - 1 zeros after each element
  const Tensor apart = reshape(pad(unsqueeze(g, dim + 1), gap), spaced);
  return {pad(apart, widths(g.rank(), dim, start, input_size(s, dim) - start - apart.size(dim)))};
}
Grads slice_kernel(const Saved& s, const Tensor& g) {
  return put_back(s, g, [&](const Layout& x) {
    return x.slice(s.integer("dim"), s.integer("start"), s.integer("end"), s.integer("step"));
  });
}

constexpr Definition select_definition{"y = x_index, along dim, which y lacks",
                                       "dx_index = g, else 0"};
Grads select_formula(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim"), index = s.integer("index");
  return {pad(unsqueeze(g, dim), widths(g.rank() + 1, dim, index, input_size(s, dim) - index - 1))};
}
Grads select_kernel(const Saved& s, const Tensor& g) {
  return put_back(s, g,
                  [&](const Layout& x) { return x.select(s.integer("dim"), s.integer("index")); });
}

constexpr Definition diagonal_definition{"y_i = x_ii, two dims of x as y's last one",
                                         "dx_ij = g_i where i = j, else 0"};
Grads diagonal_formula(const Saved& s, const Tensor& g) {
  const int64_t a = s.integer("a"), b = s.integer("b"), rank = g.rank() + 1;
  const int64_t n = input_size(s, a), m = input_size(s, b);
  Dims full = g.shape(), back;
  full.back() = n;
  full.push_back(m);
  const Tensor rows = expand(unsqueeze(pad(g, {0, n - g.size(-1)}), -1), full);  // (*, n, m)
  const Tensor dx = masked_fill(rows, !eye(n, m, boolean), 0);
  for (int64_t d = 0, next = 0; d < rank; ++d)
    back.push_back(d == a ? rank - 2 : d == b ? rank - 1 : next++);
  return {permute(dx, back)};
}
Grads diagonal_kernel(const Saved& s, const Tensor& g) {
  return put_back(s, g,
                  [&](const Layout& x) { return x.diagonal(s.integer("a"), s.integer("b")); });
}

}  // namespace

namespace ops {
extern const Op narrow{.name = "narrow",
                       .signature = "(*) -> (*)",
                       .definition = narrow_definition,
                       .formula = narrow_formula,
                       .kernel = narrow_kernel};
extern const Op slice{.name = "slice",
                      .signature = "(*) -> (*)",
                      .definition = slice_definition,
                      .formula = slice_formula,
                      .kernel = slice_kernel};
extern const Op select{.name = "select",
                       .signature = "(*) -> (*)",
                       .definition = select_definition,
                       .formula = select_formula,
                       .kernel = select_kernel};
extern const Op diagonal{.name = "diagonal",
                         .signature = "(*) -> (*)",
                         .definition = diagonal_definition,
                         .formula = diagonal_formula,
                         .kernel = diagonal_kernel};
}  // namespace ops

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  const Layout layout = x.layout().narrow(dim, start, length);
  dim = wrap_dim(dim, x.rank(), "narrow");
  return ops::narrow.record(view_of(x, layout), {x},
                            {{"dim", dim}, {"start", start < 0 ? start + x.size(dim) : start}});
}

Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const Layout layout = x.layout().slice(dim, start, end, step);
  dim = wrap_dim(dim, x.rank(), "slice");
  const int64_t size = x.size(dim),
                first = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
  return ops::slice.record(view_of(x, layout), {x},
                           {{"dim", dim},
                            {"start", first},
                            {"end", end},
                            {"step", std::min(step, std::max<int64_t>(size, 1))}});
}

Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  const Layout layout = x.layout().select(dim, index);
  dim = wrap_dim(dim, x.rank(), "select");
  return ops::select.record(view_of(x, layout), {x},
                            {{"dim", dim}, {"index", index < 0 ? index + x.size(dim) : index}});
}

Tensor diagonal(const Tensor& x, int64_t a, int64_t b) {
  const Layout layout = x.layout().diagonal(a, b);
  return ops::diagonal.record(
      view_of(x, layout), {x},
      {{"a", wrap_dim(a, x.rank(), "diagonal")}, {"b", wrap_dim(b, x.rank(), "diagonal")}});
}

}  // namespace slope
