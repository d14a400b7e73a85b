#include <slope/autograd/ops/shape/rows_by_index.h>

namespace slope {

namespace {

constexpr Definition embedding_definition{
    "y_k = W_{index_k}", "dW_v = sum of g_k with index_k = v, in order of k; 0 for padding_idx"};

Grads embedding_formula(const Saved& s, const Tensor& g) {
  const Tensor index = reshape(s.extra(), {-1});
  const Tensor is_padding = unsqueeze(index == static_cast<double>(s.integer("padding_idx")), 1);
  const Tensor rows = masked_fill(reshape(g, {index.numel(), g.size(-1)}), is_padding, 0);
  return {Tensor(),
          scatter_add(zeros(s.input_shape(1), g.dtype()), 0, spread(index, 0, rows.shape()), rows)};
}

// A weight that is also the output projection already has a gradient: then only the rows that were
// picked are touched.
Grads embedding_kernel(const Saved& s, const Tensor& g) {
  const GradTarget d = s.target(1, s.input_shape(1), g.dtype());
  add_rows(g, AxisSplit(s.input_shape(1), 0), s.extra(), d.tensor, !d.adds,
           s.integer("padding_idx"));
  return Grads{Tensor(), d.result()};
}

}  // namespace

namespace ops {
extern const Op embedding{.name = "embedding",
                          .signature = "(*), (V, d) -> (*, d)",
                          .definition = embedding_definition,
                          .formula = embedding_formula,
                          .kernel = embedding_kernel};
}

Tensor embedding(const Tensor& index, const Tensor& weight, int64_t padding_idx) {
  ops::embedding.check({index, weight});
  const int64_t V = weight.size(0);
  SLOPE_CHECK_INDEX(padding_idx >= -1 && padding_idx < V,
                    "embedding: padding_idx {} is outside the {} rows of the weight", padding_idx,
                    V);
  const Tensor at = checked_index("embedding", index, V);
  Dims shape = index.shape();
  shape.push_back(weight.size(1));
  return ops::embedding.record(pick_rows(weight, AxisSplit(weight.shape(), 0), at, shape),
                               {index, weight}, {{"padding_idx", padding_idx}}, {at});
}

}  // namespace slope
