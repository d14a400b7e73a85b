// Rows of a table by number, combined or as unit vectors, under the names of torch.nn.functional.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

enum class BagMode { sum, mean, max };
struct EmbeddingBagOptions {
  BagMode mode = BagMode::mean;
  int64_t padding_idx = -1;        // this row does not count; -1: none
  Tensor offsets = {};             // (B): where each bag begins in index (n)
  Tensor per_sample_weights = {};  // of index's shape; factors of the rows, with sum alone
};
// index (B, n), a bag in each row, or (n) with offsets; weight (V, d) -> (B, d). An empty bag is 0.
[[nodiscard]] Tensor embedding_bag(const Tensor& index, const Tensor& weight,
                                   const EmbeddingBagOptions& options = {});

// (*) i64 -> (*, classes) i64; classes = -1: as many as the largest index needs
[[nodiscard]] Tensor one_hot(const Tensor& index, int64_t classes = -1);

}  // namespace slope::nn
