// Attention with all arguments of torch.nn.functional.scaled_dot_product_attention.
#pragma once

#include <slope/nn/transformer/mask.h>

namespace slope::nn {

struct ScaledDotProductOptions {
  Mask attn_mask = {};
  double dropout_p = 0;
  // Query i sees keys up to i, however many keys there are (PyTorch's rule); with Mask::causal and
  // AttentionOptions::causal the last query sees the last key. Excludes attn_mask.
  bool is_causal = false;
  std::optional<double> scale = {};  // none: 1 / sqrt(D)
  bool enable_gqa = false;           // H / G neighbouring heads of queries share keys and values
};
// (*, H, L, D), (*, G, S, D), (*, G, S, E) -> (*, H, L, E); G = H unless enable_gqa
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const ScaledDotProductOptions& options);

// softmax(scale q k^T + b) v with the numbers b that the mask adds, in differentiable operations: b
// gets a gradient. Hidden keys and values must be finite: 0 times nan is nan.
[[nodiscard]] AttentionOutput biased_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                               const Mask& mask, double dropout = 0,
                                               std::optional<double> scale = {});

}  // namespace slope::nn
