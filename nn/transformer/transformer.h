// torch.nn.Transformer and its stacks: names, arguments, initial values and printed text are
// PyTorch's (transformer_layers.h has the layers). Masks are typed (mask.h).
#pragma once

#include <slope/nn/module/clone.h>
#include <slope/nn/module/state.h>
#include <slope/nn/transformer/packed_pair.h>
#include <slope/nn/transformer/transformer_layers.h>

namespace slope::nn {

struct EncoderArguments {
  Mask mask = {}, src_key_padding_mask = {};
  bool is_causal = false;
};

struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;

  // layers, each with its own initial values
  TransformerEncoder(std::vector<TransformerEncoderLayer> layers,
                     std::optional<LayerNorm> norm = {})
      : layers(std::move(layers)), norm(std::move(norm)) {}
  // torch's: copies of one layer, with its values
  TransformerEncoder(const TransformerEncoderLayer& layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = {});
  Tensor forward(const Tensor& src, const Mask& mask = {}) const;  // (B, S, C)
  Tensor forward(const Tensor& src, const EncoderArguments& arguments) const;

  TransformerEncoder blank() const;
  SLOPE_MODULE(TransformerEncoder, layers, norm)
};

struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;

  TransformerDecoder(std::vector<TransformerDecoderLayer> layers,
                     std::optional<LayerNorm> norm = {})
      : layers(std::move(layers)), norm(std::move(norm)) {}
  TransformerDecoder(const TransformerDecoderLayer& layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = {});
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask = {},
                 const Mask& memory_mask = {}, DecoderCache* cache = nullptr) const;  // (B, T, C)
  Tensor forward(const Tensor& tgt, const Tensor& memory, const DecoderArguments& arguments) const;

  TransformerDecoder blank() const;
  SLOPE_MODULE(TransformerDecoder, layers, norm)
};

struct TransformerOptions {
  int64_t d_model = 512, nhead = 8, num_encoder_layers = 6, num_decoder_layers = 6;
  TransformerLayerOptions layer = {};
};
// The stacks with these options, each with a norm after its last layer.
TransformerEncoder encoder_of(const TransformerOptions& options);
TransformerDecoder decoder_of(const TransformerOptions& options);

struct TransformerArguments {
  Mask src_mask = {}, tgt_mask = {}, memory_mask = {};
  Mask src_key_padding_mask = {}, tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
};
struct TransformerMasks {
  Mask src, tgt, memory;
};
TransformerMasks masks_of(const Tensor& src, const Tensor& tgt, const TransformerArguments& a,
                          const TransformerOptions& options);

// Encoder, Decoder: torch's custom_encoder and custom_decoder, modules called like those above:
// encoder(src, mask), decoder(tgt, memory, tgt_mask, memory_mask).
template <class Encoder, class Decoder>
struct TransformerOf {
  TransformerOptions config;
  Encoder encoder;
  Decoder decoder;

  explicit TransformerOf(const TransformerOptions& o = {})
      : config(o), encoder(encoder_of(o)), decoder(decoder_of(o)) {
    reset_parameters();
  }
  TransformerOf(const TransformerOptions& o, Encoder custom_encoder, Decoder custom_decoder)
      : config(o), encoder(std::move(custom_encoder)), decoder(std::move(custom_decoder)) {
    reset_parameters();
  }
  // Xavier on all matrices. The packed in_proj counts as one matrix, so its bound is 1/sqrt(2) of
  // that of three separate projections.
  void reset_parameters() const { init::xavier_matrices(parameters(*this)); }
  // (B, S, C), (B, T, C) -> (B, T, C). Without masks, all attend to all, as in PyTorch.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Mask& src_mask = {},
                 const Mask& tgt_mask = {}, const Mask& memory_mask = {}) const {
    return decoder(tgt, encoder(src, src_mask), tgt_mask, memory_mask);
  }
  Tensor forward(const Tensor& src, const Tensor& tgt, const TransformerArguments& a) const {
    const auto [of_src, of_tgt, of_memory] = masks_of(src, tgt, a, config);
    return forward(src, tgt, of_src, of_tgt, of_memory);
  }
  // src, tgt: the embeddings of p's ids
  Tensor forward(const Tensor& src, const Tensor& tgt, const SequencePair& p) const {
    return forward(src, tgt, p.source_mask, p.target_mask, p.cross_mask);
  }
  static Mask generate_square_subsequent_mask(int64_t size) { return Mask::causal(size); }

  TransformerOf blank() const {
    return TransformerOf(config, nn::blank_of(encoder), nn::blank_of(decoder));
  }
  using Transformer = TransformerOf;  // the printed name
  SLOPE_MODULE(Transformer, encoder, decoder)
};

using Transformer = TransformerOf<TransformerEncoder, TransformerDecoder>;

}  // namespace slope::nn
