// Multi-head attention with the parameter names and shapes of torch.nn.MultiheadAttention (batch
// first; Vaswani et al., 2017, 3.2.2):
//   q, k, v = x W_q^T + b_q, …
//   head_h  = softmax(q_h k_h^T / sqrt(D)) v_h
//   y       = [head_1 … head_H] W_o^T + b_o
#pragma once

#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/transformer/heads.h>
#include <slope/nn/transformer/kv_cache.h>

namespace slope::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  // on the weights
  bool bias = true;
};

struct MultiheadAttention {
  Parameter in_proj_weight;               // (3E, E): W_q, W_k, W_v
  std::optional<Parameter> in_proj_bias;  // (3E)
  Linear out_proj;
  int64_t num_heads;
  double dropout;

  MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options = {});
  // (B, L, E), 2 x (B, S, E) -> (B, L, E). A cache is for decoding: key and value are the newest
  // tokens' and are appended to the earlier ones, or they are an encoder's and are projected once.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask = {},
                 KvCache* cache = nullptr) const;
  // torch's need_weights=True: also the weights, averaged over the heads (B, L, S), or of each head
  // (B, H, L, S). They are taken before dropout (torch in training: after it).
  AttentionOutput with_weights(const Tensor& query, const Tensor& key, const Tensor& value,
                               const Mask& mask = {}, bool average_heads = true) const;

  MultiheadAttention blank() const;
  SLOPE_MODULE(MultiheadAttention, in_proj_weight, in_proj_bias, out_proj)

 private:
  struct Heads {
    Tensor q, k, v;  // (B, H, L, D), 2 x (B, H, S, D)
  };
  Heads project(const Tensor& query, const Tensor& key, const Tensor& value,
                KvCache* cache = nullptr) const;
};

}  // namespace slope::nn
