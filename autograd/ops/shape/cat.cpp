// cat, stack: tensors side by side in one; split: one as views side by side. Each is
// the other's derivative.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/adjacent.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

namespace {

Grads as_grads(const Tensors& pieces, const Saved& s) {
  Grads grads;
  for (size_t i = 0; i < pieces.size(); ++i)
    grads.push_back(s.needs(static_cast<int>(i)) ? pieces[i] : Tensor());
  return grads;
}

Tensors all_grads(const Saved& s, size_t n) {
  Tensors gs;
  for (size_t i = 0; i < n; ++i) gs.push_back(s.grad_or_zeros(static_cast<int>(i)));
  return gs;
}

}  // namespace

namespace ops {

extern const Op cat{
    .name = "cat", .signature = "(*)... -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return as_grads(slope::split(g, s.dims("sizes"), s.integer("dim")), s);
    }};
extern const Op stack{
    .name = "stack", .signature = "(*)... -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return as_grads(slope::unbind(g, s.integer("dim")), s);
    }};
extern const Op split{
    .name = "split",
    .signature = "(*) -> (*)...",
    .formula =
        [](const Saved& s, const Tensor&) {
          return Grads{slope::cat(all_grads(s, s.dims("sizes").size()), s.integer("dim"))};
        },
    .kernel =
        [](const Saved& s, const Tensor&) {
          const Tensors gs = all_grads(s, s.dims("sizes").size());
          const Tensor whole = whole_of(gs, s.integer("dim"));
          return Grads{whole.defined() ? whole : slope::cat(gs, s.integer("dim"))};
        }};
extern const Op unbind{
    .name = "unbind", .signature = "(*) -> (*)...", .formula = [](const Saved& s, const Tensor&) {
      const int64_t dim = s.integer("dim"), n = s.input_shape()[static_cast<size_t>(dim)];
      return Grads{slope::stack(all_grads(s, static_cast<size_t>(n)), dim)};
    }};

}  // namespace ops

namespace {

// The tensors in one dtype; those of shape (0,) fit beside any shape and are
// left out, as in PyTorch.
Tensors alike(const char* op, const Tensors& xs, bool drop_empty) {
  SLOPE_CHECK_SHAPE(!xs.empty(), "{}: needs at least one tensor", op);
  DType dtype = xs[0].dtype();
  bool all_empty = true;
  for (const Tensor& x : xs) dtype = promote(dtype, x.dtype()), all_empty &= x.shape() == Dims{0};
  Tensors result;
  for (const Tensor& x : xs)
    if (!drop_empty || all_empty || !(x.shape() == Dims{0})) result.push_back(to(x, dtype));
  return result;
}

}  // namespace

Tensor cat(const Tensors& given, int64_t dim) {
  const Tensors xs = alike("cat", given, true);
  SLOPE_CHECK_SHAPE(xs[0].rank() > 0, "cat: tensors of rank 0 have no dim to join; use stack");
  const auto d = static_cast<size_t>(dim = wrap_dim(dim, xs[0].rank(), "cat"));
  Dims shape = xs[0].shape(), sizes;
  shape[d] = 0;
  for (const Tensor& x : xs) {
    Dims expected = shape;
    SLOPE_CHECK_SHAPE(x.shape().size() == shape.size(), "cat: ranks differ: shapes {} and {}",
                      xs[0].shape(), x.shape());
    expected[d] = x.shape()[d];
    SLOPE_CHECK_SHAPE(x.shape() == expected, "cat: shapes {} and {} differ outside dim {}",
                      xs[0].shape(), x.shape(), dim);
    sizes.push_back(x.shape()[d]);
  }
  for (const int64_t size : sizes) shape[d] = checked_add(shape[d], size);
  Tensor y = Tensor::empty(shape, xs[0].dtype());
  int64_t start = 0;
  for (const Tensor& x : xs) {
    copy_into(x, view_of(y, y.layout().narrow(dim, start, x.shape()[d])));
    start += x.shape()[d];
  }
  return ops::cat.record(Tensors{y}, xs, {{"sizes", sizes}, {"dim", dim}})[0];
}

Tensor stack(const Tensors& given, int64_t dim) {
  const Tensors xs = alike("stack", given, false);
  dim = wrap_dim(dim, xs[0].rank() + 1, "stack");
  Dims shape = xs[0].shape();
  shape.insert(static_cast<size_t>(dim), static_cast<int64_t>(xs.size()));
  for (const Tensor& x : xs)
    SLOPE_CHECK_SHAPE(x.shape() == xs[0].shape(), "stack: shapes {} and {} differ", xs[0].shape(),
                      x.shape());
  Tensor y = Tensor::empty(shape, xs[0].dtype());
  for (size_t i = 0; i < xs.size(); ++i)
    copy_into(xs[i], view_of(y, y.layout().select(dim, static_cast<int64_t>(i))));
  return ops::stack.record(Tensors{y}, xs, {{"dim", dim}})[0];
}

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
