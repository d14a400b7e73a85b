// Encoder and Decoder, each a stack of layers with an optional norm after the last, and Stacks, the
// two together; for models other than torch.nn.Transformer (transformer.h). A layer is constructed
// from the model's Config and has one forward for training and cached decoding:
//   EncoderLayer::forward(x, mask)                                                 // (B, S, C)
//   DecoderLayer::forward(x, memory, self_mask, cross_mask, DecoderLayerCache*)    // (B, T, C)
#pragma once

#include <slope/nn/layers/layer_norm.h>
#include <slope/nn/transformer/decoder_cache.h>
#include <slope/nn/transformer/packed_pair.h>

namespace slope::nn {

// n layers, each with its own initial values
template <class Layer, class Config>
std::vector<Layer> layers_of(int64_t n, const Config& c) {
  std::vector<Layer> layers;
  for (int64_t i = 0; i < n; ++i) layers.emplace_back(c);
  return layers;
}

template <class Layer, class Norm = LayerNorm>
struct Encoder {
  std::vector<Layer> layers;
  std::optional<Norm> norm;

  template <class Config>
  Encoder(int64_t n_layers, const Config& c, std::optional<Norm> last = {})
      : layers(layers_of<Layer>(n_layers, c)), norm(std::move(last)) {}
  Tensor forward(Tensor x, const Mask& mask) const {
    for (const Layer& layer : layers) x = layer(x, mask);
    return norm ? (*norm)(x) : x;  // (B, S, C)
  }
  SLOPE_MODULE(Encoder, layers, norm)
};

template <class Layer, class Norm = LayerNorm>
struct Decoder {
  std::vector<Layer> layers;
  std::optional<Norm> norm;

  template <class Config>
  Decoder(int64_t n_layers, const Config& c, std::optional<Norm> last = {})
      : layers(layers_of<Layer>(n_layers, c)), norm(std::move(last)) {}
  Tensor forward(Tensor x, const Tensor& memory, const Mask& self_mask, const Mask& cross_mask,
                 DecoderCache* cache = nullptr) const {
    for (size_t i = 0; i < layers.size(); ++i)
      x = layers[i](x, memory, self_mask, cross_mask, layer_of(cache, i));
    return norm ? (*norm)(x) : x;  // (B, T, C)
  }
  SLOPE_MODULE(Decoder, layers, norm)
};

template <class EncoderLayer, class DecoderLayer, class Norm = LayerNorm>
struct Stacks {
  Encoder<EncoderLayer, Norm> encoder;
  Decoder<DecoderLayer, Norm> decoder;

  template <class Config>
  Stacks(int64_t encoder_layers, int64_t decoder_layers, const Config& c,
         std::optional<Norm> encoder_norm = {}, std::optional<Norm> decoder_norm = {})
      : encoder(encoder_layers, c, std::move(encoder_norm)),
        decoder(decoder_layers, c, std::move(decoder_norm)) {}
  // source (B, S, C), target (B, T, C): the embeddings of p's ids
  Tensor forward(const Tensor& source, const Tensor& target, const SequencePair& p) const {
    return decoder(target, encoder(source, p.source_mask), p.target_mask, p.cross_mask);
  }                            // (B, T, C)
  using Transformer = Stacks;  // the printed name
  SLOPE_MODULE(Transformer, encoder, decoder)
};

}  // namespace slope::nn
