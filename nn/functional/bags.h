// Embedding bags: each lists rows of a table, which are summed, averaged or reduced to the largest
// element of each column.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

enum class BagMode { sum, mean, max };
struct EmbeddingBagOptions {
  BagMode mode = BagMode::mean;
  int64_t padding_idx = -1;  // bags skip this row, whatever it contains; -1: none
  Tensor offsets = {};       // (B), i64: where each bag begins in index (n)
  // factors of the rows, of index's shape and weight's dtype; only for sum
  Tensor per_sample_weights = {};
};
// index (B, n), a bag in each row, or (n) with offsets; weight (V, d) -> (B, d).
// An empty bag gives 0.
[[nodiscard]] Tensor embedding_bag(const Tensor& index, const Tensor& weight,
                                   const EmbeddingBagOptions& options = {});

}  // namespace slope::nn
