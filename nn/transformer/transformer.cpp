#include <slope/nn/transformer/transformer.h>

namespace slope::nn {

namespace {

template <class Layer>
std::vector<Layer> layers_of(int64_t n, const TransformerOptions& o) {
  std::vector<Layer> layers;
  for (int64_t i = 0; i < n; ++i) layers.emplace_back(o.d_model, o.nhead, o.layer);
  return layers;
}

template <class Layer>
std::vector<Layer> copies_of(const Layer& layer, int64_t n) {
  std::vector<Layer> layers;
  for (int64_t i = 0; i < n; ++i) layers.push_back(clone(layer));
  return layers;
}

template <class Layer>
std::vector<Layer> blanks_of(const std::vector<Layer>& all) {
  std::vector<Layer> layers;
  for (const Layer& layer : all) layers.push_back(layer.blank());
  return layers;
}

std::optional<LayerNorm> blank_of(const std::optional<LayerNorm>& norm) {
  if (!norm) return std::nullopt;
  return norm->blank();
}

LayerNorm last_norm(const TransformerOptions& o) {
  return LayerNorm(o.d_model, {.eps = o.layer.layer_norm_eps, .bias = o.layer.bias});
}

}  // namespace

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer, int64_t num_layers,
                                       std::optional<LayerNorm> norm)
    : TransformerEncoder(copies_of(layer, num_layers), std::move(norm)) {}

Tensor TransformerEncoder::forward(const Tensor& src, const Mask& mask) const {
  Tensor x = src;
  for (const TransformerEncoderLayer& layer : layers) x = layer(x, mask);
  return norm ? (*norm)(x) : x;
}

Tensor TransformerEncoder::forward(const Tensor& src, const EncoderArguments& a) const {
  if (layers.empty()) return forward(src);
  return forward(src, layers[0].mask_of(src,
                                        {.src_mask = a.mask,
                                         .src_key_padding_mask = a.src_key_padding_mask,
                                         .is_causal = a.is_causal},
                                        "TransformerEncoder"));
}

TransformerEncoder TransformerEncoder::blank() const {
  return TransformerEncoder(blanks_of(layers), blank_of(norm));
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer, int64_t num_layers,
                                       std::optional<LayerNorm> norm)
    : TransformerDecoder(copies_of(layer, num_layers), std::move(norm)) {}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask,
                                   const Mask& memory_mask, DecoderCache* cache) const {
  Tensor x = tgt;
  for (size_t i = 0; i < layers.size(); ++i)
    x = layers[i](x, memory, tgt_mask, memory_mask, layer_of(cache, i));
  return norm ? (*norm)(x) : x;
}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory,
                                   const DecoderArguments& a) const {
  if (layers.empty()) return forward(tgt, memory);
  const auto [self, cross] = layers[0].masks_of(tgt, memory, a, "TransformerDecoder");
  return forward(tgt, memory, self, cross);
}

TransformerDecoder TransformerDecoder::blank() const {
  return TransformerDecoder(blanks_of(layers), blank_of(norm));
}

TransformerEncoder encoder_of(const TransformerOptions& o) {
  return {layers_of<TransformerEncoderLayer>(o.num_encoder_layers, o), last_norm(o)};
}
TransformerDecoder decoder_of(const TransformerOptions& o) {
  return {layers_of<TransformerDecoderLayer>(o.num_decoder_layers, o), last_norm(o)};
}

TransformerMasks masks_of(const Tensor& src, const Tensor& tgt, const TransformerArguments& a,
                          const TransformerOptions& o) {
  const char* who = "Transformer";
  SLOPE_CHECK_SHAPE(src.rank() == tgt.rank() && (src.rank() == 2 || src.rank() == 3),
                    "{}: src {} and tgt {} should both be batched (3-D) or unbatched (2-D)", who,
                    src.shape(), tgt.shape());
  SLOPE_CHECK_SHAPE(src.size(-1) == o.d_model && tgt.size(-1) == o.d_model,
                    "{}: the feature number of src and tgt must be equal to d_model {}, got {} and "
                    "{}",
                    who, o.d_model, src.size(-1), tgt.size(-1));
  const int64_t batch = o.layer.batch_first ? 0 : 1;
  SLOPE_CHECK_SHAPE(src.rank() == 2 || src.size(batch) == tgt.size(batch),
                    "{}: the batch number of src and tgt must be equal, got {} and {}", who,
                    src.size(batch), tgt.size(batch));
  const auto masks = [&](const char* name, const Tensor& query, const Tensor& key,
                         const Mask& padding, const Mask& mask, bool is_causal) {
    const std::string where = fmt::format("{}, {}", who, name);
    return mask_of({.key_padding_mask = padding, .attn_mask = mask, .is_causal = is_causal},
                   attention_lengths(query, key, o.nhead, o.layer.batch_first, where), where);
  };
  return {masks("src", src, src, a.src_key_padding_mask, a.src_mask, a.src_is_causal),
          masks("tgt", tgt, tgt, a.tgt_key_padding_mask, a.tgt_mask, a.tgt_is_causal),
          masks("memory", tgt, src, a.memory_key_padding_mask, a.memory_mask, a.memory_is_causal)};
}

}  // namespace slope::nn
