#include <slope/nn/functional/bags.h>

#include <cmath>

namespace slope::nn {

namespace {

// rows (n, d), counted (n): which of them count
Tensor combined(const Tensor& rows, const Tensor& counted, BagMode mode) {
  const Tensor which = to(counted, rows.dtype()).unsqueeze(-1);
  const double count = sum(which.detach()).item();
  if (count == 0) return sum(rows * 0, {0});
  if (mode == BagMode::max)
    return max(masked_fill(rows, !counted.unsqueeze(-1), -INFINITY), 0).values;
  const Tensor total = sum(rows * which, {0});
  return mode == BagMode::sum ? total : total / count;
}

}  // namespace

Tensor embedding_bag(const Tensor& index, const Tensor& weight, const EmbeddingBagOptions& o) {
  SLOPE_CHECK_SHAPE(index.rank() == 1 || index.rank() == 2,
                    "embedding_bag: index must be (B, n), or (n) with offsets, got {}",
                    index.shape());
  SLOPE_CHECK_AS(
      UsageError, o.offsets.defined() == (index.rank() == 1),
      "embedding_bag: offsets must be given with an index of one dim, and with no other");
  SLOPE_CHECK_AS(UsageError, !o.per_sample_weights.defined() || o.mode == BagMode::sum,
                 "embedding_bag: per_sample_weights need the mode sum");
  SLOPE_CHECK_SHAPE(
      !o.per_sample_weights.defined() || o.per_sample_weights.shape() == index.shape(),
      "embedding_bag: per_sample_weights {} must have the shape of index {}",
      o.per_sample_weights.shape(), index.shape());
  Tensor rows = embedding(index, weight, o.padding_idx);
  if (o.per_sample_weights.defined()) rows = rows * o.per_sample_weights.unsqueeze(-1);
  const Tensor counted = index != static_cast<double>(o.padding_idx);
  Tensors bags;
  if (index.rank() == 2) {
    for (int64_t b = 0; b < index.size(0); ++b)
      bags.push_back(combined(rows.select(0, b), counted.select(0, b), o.mode));
  } else {
    const std::vector<double> starts = o.offsets.to_vector();
    for (size_t b = 0; b < starts.size(); ++b) {
      const auto first = static_cast<int64_t>(starts[b]),
                 last = b + 1 < starts.size() ? static_cast<int64_t>(starts[b + 1]) : index.size(0);
      SLOPE_CHECK_INDEX(
          first >= 0 && last >= first && last <= index.size(0) && (b > 0 || first == 0),
          "embedding_bag: bag {} is [{}, {}) of {} rows; offsets must begin with 0 and "
          "not fall",
          b, first, last, index.size(0));
      bags.push_back(combined(rows.narrow(0, first, last - first),
                              counted.narrow(0, first, last - first), o.mode));
    }
  }
  return bags.empty() ? zeros({0, weight.size(1)}, weight.dtype()) : stack(bags);
}

Tensor one_hot(const Tensor& index, int64_t classes) {
  SLOPE_CHECK_DTYPE(index.dtype() == i64, "one_hot: needs int64 classes, got {}",
                    name(index.dtype()));
  const bool given = classes != -1;
  if (!given) classes = index.numel() == 0 ? 0 : static_cast<int64_t>(max(index).item()) + 1;
  SLOPE_CHECK_INDEX(index.numel() == 0 || (min(index).item() >= 0 &&
                                           max(index).item() < static_cast<double>(classes)),
                    "one_hot: classes must be in [0, {})", classes);
  SLOPE_CHECK_AS(UsageError, classes > 0, "one_hot: needs the number of classes");
  return to(index.unsqueeze(-1) == arange(classes), i64);
}

}  // namespace slope::nn
