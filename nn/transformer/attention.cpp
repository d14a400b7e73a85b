#include <slope/nn/transformer/attention.h>

namespace slope::nn {

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       MultiheadAttentionOptions options)
    : in_proj_weight(Dims{3 * embed_dim, embed_dim}), out_proj(embed_dim, embed_dim, options.bias),
      num_heads(num_heads), dropout(options.dropout) {
  SLOPE_CHECK_SHAPE(num_heads > 0 && embed_dim % num_heads == 0,
                    "MultiheadAttention: {} heads do not divide embed_dim {}", num_heads,
                    embed_dim);
  SLOPE_CHECK_AS(UsageError, dropout >= 0 && dropout <= 1,
                 "MultiheadAttention: the dropout must be in [0, 1], got {}", dropout);
  out_proj.module_state.printed_type = "NonDynamicallyQuantizableLinear";
  init::xavier_uniform(in_proj_weight);
  if (!options.bias) return;
  in_proj_bias.emplace(Dims{3 * embed_dim});
  init::zeros(*in_proj_bias);
  init::zeros(*out_proj.bias);
}

MultiheadAttention::Heads MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                      const Tensor& value, KvCache* cache) const {
  const int64_t E = in_proj_weight.size(1);
  if (query.is_same(key) && key.is_same(value)) {  // one product instead of three
    const Tensors qkv = linear(query, in_proj_weight, or_none(in_proj_bias)).chunk(3, -1);
    const auto [k, v] = keys_values(cache, [&]() -> KeysValues {
      return {split_heads(qkv[1], num_heads), split_heads(qkv[2], num_heads)};
    });
    return {split_heads(qkv[0], num_heads), k, v};
  }
  const auto part = [&](const Tensor& x, int64_t i) {
    return split_heads(linear(x, in_proj_weight.narrow(0, i * E, E),
                              in_proj_bias ? in_proj_bias->narrow(0, i * E, E) : Tensor()),
                       num_heads);
  };
  const Tensor q = part(query, 0);
  const auto [k, v] = keys_values(cache, [&]() -> KeysValues {
    return {part(key, 1), part(value, 2)};
  });
  return {q, k, v};
}

Tensor MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Mask& mask, KvCache* cache) const {
  const auto [q, k, v] = project(query, key, value, cache);
  return out_proj(merge_heads(attend(q, k, v, mask, training() ? dropout : 0)));
}

AttentionOutput MultiheadAttention::with_weights(const Tensor& query, const Tensor& key,
                                                 const Tensor& value, const Mask& mask,
                                                 bool average_heads) const {
  const Scope scope(*this);
  const auto [q, k, v] = project(query, key, value);
  const AttentionOutput y = attend_with_weights(q, k, v, mask, training() ? dropout : 0);
  return {out_proj(merge_heads(y.output)), average_heads ? mean(y.weights, {1}) : y.weights};
}

MultiheadAttention MultiheadAttention::blank() const {
  return MultiheadAttention(in_proj_weight.size(1), num_heads,
                            {.dropout = dropout, .bias = in_proj_bias.has_value()});
}

}  // namespace slope::nn
