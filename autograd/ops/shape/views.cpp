// Views of all of x's elements: y is x's storage with another layout (core/tensor/layout.h), and dx
// is g in x's shape, summed over what expand repeated.
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

constexpr Definition reshape_definition{"y = x in another shape, element by element",
                                        "dx = g in x's shape"};
constexpr Definition squeeze_definition{"y = x without a dim of size 1", "dx = g in x's shape"};
constexpr Definition unsqueeze_definition{"y = x with a new dim of size 1", "dx = g in x's shape"};
Grads same_elements(const Saved& s, const Tensor& g) { return {reshape(g, s.input_shape())}; }

constexpr Definition transpose_definition{"y = x, two dims exchanged",
                                          "dx = g, the same dims exchanged"};
Grads transpose_formula(const Saved& s, const Tensor& g) {
  return {transpose(g, s.integer("a"), s.integer("b"))};
}

constexpr Definition permute_definition{"y = x, its dims in another order",
                                        "dx = g, its dims in x's order"};
Grads permute_formula(const Saved& s, const Tensor& g) {
  const Dims& dims = s.dims("dims");
  Dims inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  return {permute(g, inverse)};
}

constexpr Definition expand_definition{"y = x, repeated along dims of size 1 and new ones",
                                       "dx = g, summed over what was repeated"};
Grads expand_formula(const Saved& s, const Tensor& g) { return {sum_to(g, s.input_shape())}; }

}  // namespace

namespace ops {
extern const Op reshape{.name = "reshape",
                        .signature = "(*) -> (*)",
                        .definition = reshape_definition,
                        .formula = same_elements};
extern const Op squeeze{.name = "squeeze",
                        .signature = "(*) -> (*)",
                        .definition = squeeze_definition,
                        .formula = same_elements};
extern const Op unsqueeze{.name = "unsqueeze",
                          .signature = "(*) -> (*)",
                          .definition = unsqueeze_definition,
                          .formula = same_elements};
extern const Op transpose{.name = "transpose",
                          .signature = "(*) -> (*)",
                          .definition = transpose_definition,
                          .formula = transpose_formula};
extern const Op permute{.name = "permute",
                        .signature = "(*) -> (*)",
                        .definition = permute_definition,
                        .formula = permute_formula};
extern const Op expand{.name = "expand",
                       .signature = "(*) -> (*)",
                       .definition = expand_definition,
                       .formula = expand_formula};
}  // namespace ops

Tensor reshape(const Tensor& x, const Dims& shape) {
  if (const std::optional<Layout> layout = x.layout().reshape(shape))
    return ops::reshape.record(view_of(x, *layout), {x});
  const Tensor copy = contiguous_copy(x);
  return ops::reshape.record(view_of(copy, *copy.layout().reshape(shape)), {x});
}

Tensor squeeze(const Tensor& x, int64_t dim) {
  return ops::squeeze.record(view_of(x, x.layout().squeeze(dim)), {x});
}
Tensor unsqueeze(const Tensor& x, int64_t dim) {
  return ops::unsqueeze.record(view_of(x, x.layout().unsqueeze(dim)), {x});
}

Tensor transpose(const Tensor& x, int64_t a, int64_t b) {
  return ops::transpose.record(view_of(x, x.layout().transpose(a, b)), {x}, {{"a", a}, {"b", b}});
}

Tensor permute(const Tensor& x, const Dims& dims) {
  const Layout layout = x.layout().permute(dims);
  Dims wrapped = dims;
  for (int64_t& d : wrapped) d = wrap_dim(d, x.rank(), "permute");
  return ops::permute.record(view_of(x, layout), {x}, {{"dims", wrapped}});
}

Tensor expand(const Tensor& x, const Dims& shape) {
  SLOPE_CHECK_SHAPE(shape.size() >= x.shape().size(), "expand: {} has fewer dims than shape {}",
                    shape, x.shape());
  Dims full = shape;
  const size_t lead = shape.size() - x.shape().size();
  for (size_t d = 0; d < full.size(); ++d) {
    if (full[d] != -1) continue;
    SLOPE_CHECK_SHAPE(d >= lead, "expand: -1 in {} stands where shape {} has no size to keep",
                      shape, x.shape());
    full[d] = x.shape()[d - lead];
  }
  return ops::expand.record(view_of(x, x.layout().broadcast_to(full)), {x});
}

}  // namespace slope
