#include <slope/nn/transformer/transformer_layers.h>

namespace slope::nn {

namespace {

using Options = TransformerLayerOptions;

LayerNorm norm_of(int64_t d_model, const Options& o) {
  return LayerNorm(d_model, {.eps = o.layer_norm_eps, .bias = o.bias});
}
MultiheadAttention attention_of(int64_t d_model, int64_t nhead, const Options& o) {
  return MultiheadAttention(d_model, nhead,
                            {.dropout = o.dropout, .bias = o.bias, .batch_first = o.batch_first});
}

// x + f(norm(x)), or norm(x + f(x))
template <class F>
Tensor residual(const Tensor& x, const LayerNorm& norm, bool norm_first, const F& f) {
  return norm_first ? x + f(norm(x)) : norm(x + f(x));
}

template <class Layer>
Tensor feed_forward(const Layer& layer, const Tensor& x) {
  return layer.linear2(layer.dropout(layer.options.activation(layer.linear1(x))));
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead, Options o)
    : self_attn(attention_of(d_model, nhead, o)), linear1(d_model, o.dim_feedforward, o.bias),
      dropout(o.dropout), linear2(o.dim_feedforward, d_model, o.bias), norm1(norm_of(d_model, o)),
      norm2(norm_of(d_model, o)), dropout1(o.dropout), dropout2(o.dropout), options(o) {}

Tensor TransformerEncoderLayer::forward(const Tensor& src, const Mask& mask) const {
  const bool first = options.norm_first;
  const Tensor x = residual(src, norm1, first,
                            [&](const Tensor& y) { return dropout1(self_attn(y, y, y, mask)); });
  return residual(x, norm2, first,
                  [&](const Tensor& y) { return dropout2(feed_forward(*this, y)); });
}

Mask TransformerEncoderLayer::mask_of(const Tensor& src, const EncoderLayerArguments& a,
                                      const char* who) const {
  return nn::mask_of({.key_padding_mask = a.src_key_padding_mask,
                      .attn_mask = a.src_mask,
                      .is_causal = a.is_causal},
                     attention_lengths(src, src, self_attn.num_heads, options.batch_first, who),
                     who);
}

TransformerEncoderLayer TransformerEncoderLayer::blank() const {
  return TransformerEncoderLayer(linear1.in_features(), self_attn.num_heads, options);
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead, Options o)
    : self_attn(attention_of(d_model, nhead, o)), multihead_attn(attention_of(d_model, nhead, o)),
      linear1(d_model, o.dim_feedforward, o.bias), dropout(o.dropout),
      linear2(o.dim_feedforward, d_model, o.bias), norm1(norm_of(d_model, o)),
      norm2(norm_of(d_model, o)), norm3(norm_of(d_model, o)), dropout1(o.dropout),
      dropout2(o.dropout), dropout3(o.dropout), options(o) {}

Tensor TransformerDecoderLayer::forward(const Tensor& tgt, const Tensor& memory,
                                        const Mask& tgt_mask, const Mask& memory_mask,
                                        DecoderLayerCache* cache) const {
  const bool first = options.norm_first;
  Tensor x = residual(tgt, norm1, first, [&](const Tensor& y) {
    return dropout1(self_attn(y, y, y, tgt_mask, self_of(cache)));
  });
  x = residual(x, norm2, first, [&](const Tensor& y) {
    return dropout2(multihead_attn(y, memory, memory, memory_mask, cross_of(cache)));
  });
  return residual(x, norm3, first,
                  [&](const Tensor& y) { return dropout3(feed_forward(*this, y)); });
}

DecoderMasks TransformerDecoderLayer::masks_of(const Tensor& tgt, const Tensor& memory,
                                               const DecoderArguments& a,
                                               const std::string& who) const {
  const std::string self = who + ", tgt", cross = who + ", memory";
  return {nn::mask_of({.key_padding_mask = a.tgt_key_padding_mask,
                       .attn_mask = a.tgt_mask,
                       .is_causal = a.tgt_is_causal},
                      attention_lengths(tgt, tgt, self_attn.num_heads, options.batch_first, self),
                      self),
          nn::mask_of(
              {.key_padding_mask = a.memory_key_padding_mask,
               .attn_mask = a.memory_mask,
               .is_causal = a.memory_is_causal},
              attention_lengths(tgt, memory, multihead_attn.num_heads, options.batch_first, cross),
              cross)};
}

TransformerDecoderLayer TransformerDecoderLayer::blank() const {
  return TransformerDecoderLayer(linear1.in_features(), self_attn.num_heads, options);
}

}  // namespace slope::nn
