// Functions that draw random numbers, under the names of torch.nn.functional. Without `train` the
// dropouts give x itself.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn {

// whole channels of (N, C, L) or (C, L) are zero with probability p, the others x / (1 - p)
[[nodiscard]] Tensor dropout1d(const Tensor& x, double p = 0.5, bool train = true);
// for selu: dropped elements get its lowest value, and mean and variance stay (Klambauer et al.,
// 2017)
[[nodiscard]] Tensor alpha_dropout(const Tensor& x, double p = 0.5, bool train = true);
// the same for whole channels (N, C, *)
[[nodiscard]] Tensor feature_alpha_dropout(const Tensor& x, double p = 0.5, bool train = true);
// softmax((x + Gumbel noise) / tau) over dim: a sample of softmax(x); `hard`: its largest element
// as 1 and the others 0, with the gradient of the soft one (Jang et al., 2017)
struct GumbelOptions {
  double tau = 1;
  bool hard = false;
  int64_t dim = -1;
};
[[nodiscard]] Tensor gumbel_softmax(const Tensor& logits, const GumbelOptions& options = {});

}  // namespace slope::nn
