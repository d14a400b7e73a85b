// torch.nn.MultiheadAttention (Vaswani et al., 2017, 3.2.2), with its arguments, names, initial
// values and printed text; batch first by default.
//   q, k, v = x W_q^T + b_q, …
//   head_h  = softmax(q_h k_h^T / sqrt(D)) v_h,  D = E / H
//   y       = [head_1 … head_H] W_o^T + b_o
#pragma once

#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/transformer/attention_arguments.h>
#include <slope/nn/transformer/heads.h>
#include <slope/nn/transformer/kv_cache.h>

namespace slope::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  // on the weights
  bool bias = true;
  bool add_bias_kv = false;                     // one more key and value, learned
  bool add_zero_attn = false;                   // one more key and value of zeros
  std::optional<int64_t> kdim = {}, vdim = {};  // channels of key and value; none: embed_dim
  bool batch_first = true;                      // false: (L, B, E)
};

struct MultiheadAttention {
  std::optional<Parameter> in_proj_weight;  // (3E, E): W_q, W_k, W_v; if kdim or vdim is not E:
  std::optional<Parameter> q_proj_weight, k_proj_weight, v_proj_weight;  // (E, E), (E, kdim), …
  std::optional<Parameter> in_proj_bias;                                 // (3E)
  std::optional<Parameter> bias_k, bias_v;                               // (1, 1, E)
  Linear out_proj;
  int64_t num_heads;
  MultiheadAttentionOptions options;

  MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options = {});
  // (B, L, E), 2 x (B, S, E) -> (B, L, E), or without B. A cache is for decoding: key and value
  // come from the newest tokens and are appended to the earlier ones, or come from an encoder and
  // are projected once.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask = {},
                 KvCache* cache = nullptr) const;
  // torch's call: with need_weights also the weights, averaged (B, L, S) or of each head
  // (B, H, L, S). They are taken before dropout (torch in training: after it).
  AttentionOutput forward(const Tensor& query, const Tensor& key, const Tensor& value,
                          const AttentionArguments& arguments) const;
  AttentionOutput with_weights(const Tensor& query, const Tensor& key, const Tensor& value,
                               const Mask& mask = {}, bool average_heads = true) const;

  int64_t embed_dim() const { return out_proj.in_features(); }
  MultiheadAttention blank() const;
  SLOPE_MODULE(MultiheadAttention, in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight,
               in_proj_bias, bias_k, bias_v, out_proj)

 private:
  struct Heads {
    Tensor q, k, v;  // (B, H, L, D), 2 x (B, H, S, D)
    Mask mask;
  };
  Heads heads(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask,
              KvCache* cache = nullptr) const;
  Heads project(const Tensor& query, const Tensor& key, const Tensor& value, KvCache* cache) const;
  void add_keys(Heads& h) const;
  Tensor output(const Tensor& heads, const Tensor& query) const;
};

}  // namespace slope::nn
