// cat and stack: joining tensors.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

Grads as_grads(const Tensors& pieces, const Saved& s) {
  Grads grads;
  for (size_t i = 0; i < pieces.size(); ++i)
    grads.push_back(s.needs(static_cast<int>(i)) ? pieces[i] : Tensor());
  return grads;
}

constexpr Definition cat_definition{"y = the xs one after the other, along dim",
                                    "dx_k = the piece of g where x_k is"};
Grads cat_formula(const Saved& s, const Tensor& g) {
  return as_grads(split(g, s.dims("sizes"), s.integer("dim")), s);
}

constexpr Definition stack_definition{"y = the xs one after the other, along a new dim",
                                      "dx_k = g_k, along that dim"};
Grads stack_formula(const Saved& s, const Tensor& g) {
  return as_grads(unbind(g, s.integer("dim")), s);
}

// The tensors in the dtype to which all of them are promoted.
Tensors promoted(const char* op, const Tensors& xs) {
  SLOPE_CHECK_SHAPE(!xs.empty(), "{}: needs at least one tensor", op);
  DType dtype = xs[0].dtype();
  for (const Tensor& x : xs) dtype = promote(dtype, x.dtype());
  Tensors result;
  for (const Tensor& x : xs) result.push_back(to(x, dtype));
  return result;
}

// Tensors of shape (0,) fit any shape: they are left out, as in PyTorch, unless there are no
// others.
Tensors without_empty(const Tensors& xs) {
  Tensors result;
  for (const Tensor& x : xs)
    if (!(x.shape() == Dims{0})) result.push_back(x);
  return result.empty() ? xs : result;
}

}  // namespace

namespace ops {
extern const Op cat{.name = "cat",
                    .signature = "(*)... -> (*)",
                    .definition = cat_definition,
                    .formula = cat_formula};
extern const Op stack{.name = "stack",
                      .signature = "(*)... -> (*)",
                      .definition = stack_definition,
                      .formula = stack_formula};
}  // namespace ops

Tensor cat(const Tensors& given, int64_t dim) {
  const Tensors xs = without_empty(promoted("cat", given));
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
  const Tensors xs = promoted("stack", given);
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

}  // namespace slope
