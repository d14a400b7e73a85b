#include <slope/nn/functional/bags.h>
#include <slope/nn/functional/layers.h>

#include <vector>

namespace slope::nn {

namespace {

// The bags of the flat index: bag b is [bounds[b], bounds[b + 1]).
std::vector<int64_t> bounds_of_bags(const Tensor& index, const Tensor& offsets) {
  std::vector<int64_t> bounds;
  if (!offsets.defined()) {
    for (int64_t b = 0; b <= index.size(0); ++b) bounds.push_back(b * index.size(1));
    return bounds;
  }
  SLOPE_CHECK_DTYPE(offsets.dtype() == i64, "embedding_bag: offsets must be int64, got {}",
                    name(offsets.dtype()));
  SLOPE_CHECK_SHAPE(offsets.rank() == 1, "embedding_bag: offsets must be (B), got {}",
                    offsets.shape());
  for (const double start : offsets.to_vector()) bounds.push_back(static_cast<int64_t>(start));
  bounds.push_back(index.size(0));
  for (size_t b = 0; b + 1 < bounds.size(); ++b)
    SLOPE_CHECK_INDEX(bounds[b] <= bounds[b + 1] && (b > 0 || bounds[b] == 0),
                      "embedding_bag: bag {} is [{}, {}) of {} rows; offsets must begin with 0 and "
                      "never decrease",
                      b, bounds[b], bounds[b + 1], index.size(0));
  return bounds;
}

// rows (n, d) -> (d); rows where padding (n) is true are 0 and do not count
Tensor combined(const Tensor& rows, const Tensor& padding, BagMode mode) {
  const double count = sum(!padding).item();
  if (mode == BagMode::max && count > 0) {
    std::vector<int64_t> kept;  // not -inf in place of padding: a row may have -inf too
    const std::vector<double> skip = padding.to_vector();
    for (size_t i = 0; i < skip.size(); ++i)
      if (skip[i] == 0) kept.push_back(static_cast<int64_t>(i));
    const auto n = static_cast<int64_t>(kept.size());
    return max(n < rows.size(0) ? index_select(rows, 0, from_vector(kept, {n})) : rows, 0).values;
  }
  const Tensor total = sum(rows, {0});
  return mode == BagMode::mean && count > 0 ? total / count : total;
}

}  // namespace

Tensor embedding_bag(const Tensor& index, const Tensor& weight, const EmbeddingBagOptions& o) {
  SLOPE_CHECK_SHAPE(index.rank() == 1 || index.rank() == 2,
                    "embedding_bag: index must be (B, n), or (n) with offsets, got {}",
                    index.shape());
  SLOPE_CHECK_SHAPE(weight.rank() == 2, "embedding_bag: weight must be (V, d), got {}",
                    weight.shape());
  SLOPE_CHECK_AS(
      UsageError, o.offsets.defined() == (index.rank() == 1),
      "embedding_bag: offsets must be given with an index of one dim, and with no other");
  SLOPE_CHECK_AS(UsageError, !o.per_sample_weights.defined() || o.mode == BagMode::sum,
                 "embedding_bag: per_sample_weights need the mode sum");
  SLOPE_CHECK_SHAPE(
      !o.per_sample_weights.defined() || o.per_sample_weights.shape() == index.shape(),
      "embedding_bag: per_sample_weights {} must have the shape of index {}",
      o.per_sample_weights.shape(), index.shape());
  const Tensor flat = index.reshape({-1}), padding = flat == o.padding_idx;
  // Padding is replaced, not multiplied by 0: its row and factor may be inf or nan.
  Tensor rows = masked_fill(embedding(flat, weight, o.padding_idx), padding.unsqueeze(-1), 0);
  if (o.per_sample_weights.defined()) {
    detail::check_dtype("embedding_bag", "per_sample_weights", o.per_sample_weights, rows);
    rows = rows * masked_fill(o.per_sample_weights.reshape({-1}), padding, 0).unsqueeze(-1);
  }
  const std::vector<int64_t> bounds = bounds_of_bags(index, o.offsets);
  Tensors bags;
  for (size_t b = 0; b + 1 < bounds.size(); ++b) {
    const int64_t first = bounds[b], n = bounds[b + 1] - first;
    bags.push_back(combined(rows.narrow(0, first, n), padding.narrow(0, first, n), o.mode));
  }
  return bags.empty() ? zeros({0, weight.size(1)}, weight.dtype()) : stack(bags);
}

}  // namespace slope::nn
