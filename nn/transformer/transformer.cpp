#include <slope/nn/module/state.h>
#include <slope/nn/transformer/transformer.h>

namespace slope::nn {

namespace {

using Options = TransformerLayerOptions;

LayerNorm norm_of(int64_t d_model, const Options& o) {
  return LayerNorm(d_model, {.eps = o.layer_norm_eps, .bias = o.bias});
}
MultiheadAttention attention_of(int64_t d_model, int64_t nhead, const Options& o) {
  return MultiheadAttention(d_model, nhead, {.dropout = o.dropout, .bias = o.bias});
}

// x + f(norm(x)), or norm(x + f(x))
template <class F>
Tensor residual(const Tensor& x, const LayerNorm& norm, bool norm_first, const F& f) {
  return norm_first ? x + f(norm(x)) : norm(x + f(x));
}

template <class Layer>
Tensor feed_forward(const Layer& layer, const Tensor& x) {
  return layer.linear2(layer.dropout(activate(layer.linear1(x), layer.options.activation)));
}

template <class Layer>
std::vector<Layer> layers_of(int64_t n, const TransformerOptions& o) {
  std::vector<Layer> layers;
  for (int64_t i = 0; i < n; ++i) layers.emplace_back(o.d_model, o.nhead, o.layer);
  return layers;
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

TransformerDecoderLayer TransformerDecoderLayer::blank() const {
  return TransformerDecoderLayer(linear1.in_features(), self_attn.num_heads, options);
}

Tensor TransformerEncoder::forward(const Tensor& src, const Mask& mask) const {
  Tensor x = src;
  for (const TransformerEncoderLayer& layer : layers) x = layer(x, mask);
  return norm ? (*norm)(x) : x;
}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask,
                                   const Mask& memory_mask, DecoderCache* cache) const {
  Tensor x = tgt;
  for (size_t i = 0; i < layers.size(); ++i)
    x = layers[i](x, memory, tgt_mask, memory_mask, layer_of(cache, i));
  return norm ? (*norm)(x) : x;
}

Transformer::Transformer(const TransformerOptions& o)
    : config(o), encoder(layers_of<TransformerEncoderLayer>(o.num_encoder_layers, o),
                         norm_of(o.d_model, o.layer)),
      decoder(layers_of<TransformerDecoderLayer>(o.num_decoder_layers, o),
              norm_of(o.d_model, o.layer)) {
  reset_parameters();
}

void Transformer::reset_parameters() const { init::xavier_matrices(parameters(*this)); }

Tensor Transformer::forward(const Tensor& src, const Tensor& tgt, const Mask& src_mask,
                            const Mask& tgt_mask, const Mask& memory_mask) const {
  return decoder(tgt, encoder(src, src_mask), tgt_mask, memory_mask);
}

}  // namespace slope::nn
