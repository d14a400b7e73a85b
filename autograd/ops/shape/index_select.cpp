#include <slope/autograd/ops/shape/rows_by_index.h>

namespace slope {

namespace {

constexpr Definition index_select_definition{"y_k = x_{index_k}, along dim",
                                             "dx_v = sum of g_k with index_k = v, in order of k"};

Grads index_select_formula(const Saved& s, const Tensor& g) {
  const int64_t dim = s.integer("dim");
  const Tensor index = spread(s.extra(), dim, g.shape());
  return {scatter_add(zeros(s.input_shape(), g.dtype()), dim, index, g), Tensor()};
}

Grads index_select_kernel(const Saved& s, const Tensor& g) {
  const Tensor dx = Tensor::empty(s.input_shape(), g.dtype());
  add_rows(g, AxisSplit(s.input_shape(), s.integer("dim")), s.extra(), dx, true);
  return {dx, Tensor()};
}

}  // namespace

namespace ops {
extern const Op index_select{.name = "index_select",
                             .signature = "(*), (n) -> (*)",
                             .definition = index_select_definition,
                             .formula = index_select_formula,
                             .kernel = index_select_kernel};
}

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  SLOPE_CHECK_SHAPE(index.rank() <= 1, "index_select: the index must be a list, got shape {}",
                    index.shape());
  dim = wrap_dim(dim, x.rank(), "index_select");
  const AxisSplit split(x.shape(), dim);
  const Tensor at = checked_index("index_select", index, split.n);
  Dims shape = x.shape();
  if (x.rank() > 0)
    shape[static_cast<size_t>(dim)] = index.numel();
  else
    SLOPE_CHECK_SHAPE(index.numel() == 1,
                      "index_select: a tensor of rank 0 takes one index, got {}", index.numel());
  return ops::index_select.record(pick_rows(x, split, at, shape), {x, index}, {{"dim", dim}}, {at});
}

}  // namespace slope
