#include <slope/nn/transformer/attention.h>

namespace slope::nn {

namespace {

constexpr const char* who = "MultiheadAttention";

}  // namespace

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       MultiheadAttentionOptions o)
    : out_proj(embed_dim, embed_dim, o.bias), num_heads(num_heads), options(o) {
  SLOPE_CHECK_SHAPE(embed_dim > 0 && num_heads > 0 && embed_dim % num_heads == 0,
                    "{}: {} heads do not divide embed_dim {}", who, num_heads, embed_dim);
  SLOPE_CHECK_AS(UsageError, o.dropout >= 0 && o.dropout <= 1,
                 "{}: the dropout must be in [0, 1], got {}", who, o.dropout);
  out_proj.module_state.printed_type = "NonDynamicallyQuantizableLinear";
  const int64_t kdim = o.kdim.value_or(embed_dim), vdim = o.vdim.value_or(embed_dim);
  SLOPE_CHECK_SHAPE(kdim > 0 && vdim > 0, "{}: kdim {} and vdim {} must be positive", who, kdim,
                    vdim);
  const auto matrix = [](std::optional<Parameter>& weight, int64_t rows, int64_t columns) {
    init::xavier_uniform(weight.emplace(Dims{rows, columns}));
  };
  if (kdim == embed_dim && vdim == embed_dim) {
    matrix(in_proj_weight, 3 * embed_dim, embed_dim);
  } else {
    matrix(q_proj_weight, embed_dim, embed_dim);
    matrix(k_proj_weight, embed_dim, kdim);
    matrix(v_proj_weight, embed_dim, vdim);
  }
  if (o.bias) {
    init::zeros(in_proj_bias.emplace(Dims{3 * embed_dim}));
    init::zeros(*out_proj.bias);
  }
  if (o.add_bias_kv)
    for (std::optional<Parameter>* bias : {&bias_k, &bias_v})
      init::xavier_normal(bias->emplace(Dims{1, 1, embed_dim}));
}

MultiheadAttention::Heads MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                      const Tensor& value, KvCache* cache) const {
  if (in_proj_weight && query.is_same(key) && key.is_same(value)) {  // one product, not three
    const Tensors qkv = linear(query, *in_proj_weight, or_none(in_proj_bias)).chunk(3, -1);
    const auto [k, v] = keys_values(cache, [&]() -> KeysValues {
      return {split_heads(qkv[1], num_heads), split_heads(qkv[2], num_heads)};
    });
    return {split_heads(qkv[0], num_heads), k, v, {}};
  }
  const int64_t E = embed_dim();
  const auto part = [&](const Tensor& x, const std::optional<Parameter>& weight, int64_t i) {
    const Tensor w = weight ? Tensor(*weight) : in_proj_weight->narrow(0, i * E, E),
                 b = in_proj_bias ? in_proj_bias->narrow(0, i * E, E) : Tensor();
    return split_heads(linear(x, w, b), num_heads);
  };
  const Tensor q = part(query, q_proj_weight, 0);
  const auto [k, v] = keys_values(cache, [&]() -> KeysValues {
    return {part(key, k_proj_weight, 1), part(value, v_proj_weight, 2)};
  });
  return {q, k, v, {}};
}

// Appends the keys and values of add_bias_kv and add_zero_attn, which every query sees.
void MultiheadAttention::add_keys(Heads& h) const {
  const int64_t L = h.q.size(2), S = h.k.size(2), n = options.add_bias_kv + options.add_zero_attn;
  const auto longer = [&](const Tensor& x, const std::optional<Parameter>& bias) {
    const Dims one{x.size(0), x.size(1), 1, x.size(3)};
    Tensors all{x};
    if (bias) all.push_back(split_heads(*bias, num_heads).expand(one));
    if (options.add_zero_attn) all.push_back(slope::zeros(one, x.dtype()));
    return cat(all, 2);
  };
  h.k = longer(h.k, bias_k);
  h.v = longer(h.v, bias_v);
  h.mask = h.mask.with_open_keys(L, S, n);
}

// The heads of inputs in any of the layouts.
MultiheadAttention::Heads MultiheadAttention::heads(const Tensor& query, const Tensor& key,
                                                    const Tensor& value, const Mask& mask,
                                                    KvCache* cache) const {
  const int64_t E = embed_dim();
  check_inputs(query, key, value, {E, options.kdim.value_or(E), options.vdim.value_or(E)}, who);
  const auto batch_first = [&](const Tensor& x) {
    return x.rank() == 2 ? x.unsqueeze(0) : options.batch_first ? x : x.transpose(0, 1);
  };
  const Tensor q = batch_first(query), k = key.is_same(query) ? q : batch_first(key),
               v = value.is_same(query) ? q
                   : value.is_same(key) ? k
                                        : batch_first(value);
  SLOPE_CHECK_SHAPE(q.size(0) == k.size(0),
                    "{}: query and key must have the same batch size, got {} and {}", who,
                    q.size(0), k.size(0));
  Heads h = project(q, k, v, cache);
  h.mask = mask;
  if (options.add_bias_kv || options.add_zero_attn) add_keys(h);
  return h;
}

Tensor MultiheadAttention::output(const Tensor& heads, const Tensor& query) const {
  const Tensor y = out_proj(merge_heads(heads));
  return query.rank() == 2 ? y.squeeze(0) : options.batch_first ? y : y.transpose(0, 1);
}

Tensor MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Mask& mask, KvCache* cache) const {
  const Heads h = heads(query, key, value, mask, cache);
  return output(attend(h.q, h.k, h.v, h.mask, training() ? options.dropout : 0), query);
}

AttentionOutput MultiheadAttention::with_weights(const Tensor& query, const Tensor& key,
                                                 const Tensor& value, const Mask& mask,
                                                 bool average_heads) const {
  const Scope scope(*this);
  const Heads h = heads(query, key, value, mask);
  const auto [y, each] =
      attend_with_weights(h.q, h.k, h.v, h.mask, training() ? options.dropout : 0);
  const Tensor weights = average_heads ? mean(each, {1}) : each;
  return {output(y, query), query.rank() == 2 ? weights.squeeze(0) : weights};
}

AttentionOutput MultiheadAttention::forward(const Tensor& query, const Tensor& key,
                                            const Tensor& value,
                                            const AttentionArguments& a) const {
  const Mask mask =
      mask_of(a, attention_lengths(query, key, num_heads, options.batch_first, who), who);
  if (a.need_weights) return with_weights(query, key, value, mask, a.average_attn_weights);
  return {forward(query, key, value, mask), {}};
}

MultiheadAttention MultiheadAttention::blank() const {
  return MultiheadAttention(embed_dim(), num_heads, options);
}

}  // namespace slope::nn
