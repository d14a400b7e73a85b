// cat and stack: joining tensors.
#include <slope/autograd/ops.h>
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

constexpr Definition cat_definition{"y = the xs one after the other, along dim",
                                    "dx_k = the piece of g where x_k is"};
Grads cat_formula(const Saved& s, const Tensor& g) {
  Tensors pieces = split(g, s.dims("sizes"), s.integer("dim"));
  for (size_t i = 0; i < pieces.size(); ++i)  // x_i may be of shape (0,) where g has more dims
    if (const auto k = static_cast<int>(i); pieces[i].numel() == 0 && s.needs(k))
      pieces[i] = reshape(pieces[i], s.input_shape(k));
  return as_grads(pieces, s);
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

// A tensor of shape (0,) fits any shape, as in PyTorch.
bool fits_any(const Tensor& x) { return x.shape() == Dims{0}; }

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
  const Tensors xs = promoted("cat", given);
  const auto decisive = std::find_if_not(xs.begin(), xs.end(), fits_any);
  const Tensor& like = decisive == xs.end() ? xs[0] : *decisive;
  SLOPE_CHECK_SHAPE(like.rank() > 0, "cat: tensors of rank 0 have no dim to join; use stack");
  const auto d = static_cast<size_t>(dim = wrap_dim(dim, like.rank(), "cat"));
  Dims shape = like.shape(), sizes;
  shape[d] = 0;
  for (const Tensor& x : xs) {
    if (fits_any(x)) {
      sizes.push_back(0);
      continue;
    }
    Dims expected = shape;
    SLOPE_CHECK_SHAPE(x.shape().size() == shape.size(), "cat: ranks differ: shapes {} and {}",
                      like.shape(), x.shape());
    expected[d] = x.shape()[d];
    SLOPE_CHECK_SHAPE(x.shape() == expected, "cat: shapes {} and {} differ outside dim {}",
                      like.shape(), x.shape(), dim);
    sizes.push_back(x.shape()[d]);
  }
  for (const int64_t size : sizes) shape[d] = checked_add(shape[d], size);
  Tensor y = Tensor::empty(shape, xs[0].dtype());
  int64_t start = 0;
  for (size_t i = 0; i < xs.size(); start += sizes[i++])
    if (!fits_any(xs[i])) copy_into(xs[i], view_of(y, y.layout().narrow(dim, start, sizes[i])));
  return ops::cat.record(Tensors{y}, xs, {{"sizes", sizes}, {"dim", dim}})[0];
}

Tensor stack(const Tensors& given, int64_t dim) {
  const Tensors xs = promoted("stack", given);
  dim = wrap_new_dim(dim, xs[0].rank(), "stack");
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
