// split, chunk, unbind: one tensor as consecutive views.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/adjacent.h>
#include <slope/autograd/ops/shape/view_of.h>

#include <algorithm>

namespace slope {

namespace {

Tensors all_grads(const Saved& s, size_t n) {
  Tensors gs;
  for (size_t i = 0; i < n; ++i) gs.push_back(s.grad_or_zeros(static_cast<int>(i)));
  return gs;
}

constexpr Definition split_definition{"ys = pieces of x of the given sizes, along dim",
                                      "dx = the gs one after the other"};
Grads split_formula(const Saved& s, const Tensor&) {
  return {cat(all_grads(s, s.dims("sizes").size()), s.integer("dim"))};
}
// Gradients that lie side by side need no copy.
Grads split_kernel(const Saved& s, const Tensor&) {
  const Tensors gs = all_grads(s, s.dims("sizes").size());
  const Tensor joined = joined_without_copy(gs, s.integer("dim"));
  return {joined.defined() ? joined : cat(gs, s.integer("dim"))};
}

constexpr Definition unbind_definition{"y_k = x_k, along dim, which the ys lack",
                                       "dx_k = g_k, along dim"};
Grads unbind_formula(const Saved& s, const Tensor&) {
  const int64_t dim = s.integer("dim"), n = s.input_shape()[static_cast<size_t>(dim)];
  return {stack(all_grads(s, static_cast<size_t>(n)), dim)};
}

}  // namespace

namespace ops {
extern const Op split{.name = "split",
                      .signature = "(*) -> (*)...",
                      .definition = split_definition,
                      .formula = split_formula,
                      .kernel = split_kernel};
extern const Op unbind{.name = "unbind",
                       .signature = "(*) -> (*)...",
                       .definition = unbind_definition,
                       .formula = unbind_formula};
}  // namespace ops

Tensors split(const Tensor& x, const Dims& sizes, int64_t dim) {
  SLOPE_CHECK_SHAPE(x.rank() > 0, "split: a tensor of rank 0 has no dim to split");
  dim = wrap_dim(dim, x.rank(), "split");
  int64_t total = 0;
  for (const int64_t size : sizes) {
    SLOPE_CHECK_SHAPE(size >= 0, "split: sizes must not be negative, got {}", sizes);
    total = checked_add(total, size);
  }
  SLOPE_CHECK_SHAPE(total == x.size(dim), "split: sizes {} add up to {}, dim {} of shape {} has {}",
                    sizes, total, dim, x.shape(), x.size(dim));
  Tensors pieces;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    pieces.push_back(view_of(x, x.layout().narrow(dim, start, size)));
    start += size;
  }
  return ops::split.record(std::move(pieces), Tensors{x}, {{"sizes", sizes}, {"dim", dim}});
}

Tensors split(const Tensor& x, int64_t size, int64_t dim) {
  SLOPE_CHECK_SHAPE(x.rank() > 0, "split: a tensor of rank 0 has no dim to split");
  dim = wrap_dim(dim, x.rank(), "split");
  const int64_t n = x.size(dim);
  SLOPE_CHECK_SHAPE(size > 0 || (size == 0 && n == 0), "split: size must be positive, got {}",
                    size);
  Dims sizes;
  if (n == 0) sizes.push_back(0);
  for (int64_t start = 0; start < n; start += std::min(size, n - start))
    sizes.push_back(std::min(size, n - start));
  return split(x, sizes, dim);
}

Tensors chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  SLOPE_CHECK_SHAPE(x.rank() > 0, "chunk: a tensor of rank 0 has no dim to split");
  SLOPE_CHECK_SHAPE(chunks > 0, "chunk: needs at least one chunk, got {}", chunks);
  dim = wrap_dim(dim, x.rank(), "chunk");
  const int64_t n = x.size(dim);
  if (n == 0) return split(x, Dims(static_cast<size_t>(chunks), 0), dim);
  return split(x, n / chunks + (n % chunks != 0), dim);
}

Tensors unbind(const Tensor& x, int64_t dim) {
  SLOPE_CHECK_SHAPE(x.rank() > 0, "unbind: a tensor of rank 0 has no dim to take apart");
  dim = wrap_dim(dim, x.rank(), "unbind");
  Tensors pieces;
  for (int64_t i = 0; i < x.size(dim); ++i) pieces.push_back(view_of(x, x.layout().select(dim, i)));
  return ops::unbind.record(std::move(pieces), Tensors{x}, {{"dim", dim}});
}

}  // namespace slope
