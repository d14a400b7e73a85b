// torch.nn.Transformer with its layers and stacks: names, defaults, initial values and printed text
// are PyTorch's, batch first. Masks are typed (mask.h); the layers have one forward for training
// and cached decoding.
//   post-norm: x = norm(x + sublayer(x))          Vaswani et al., 2017
//   pre-norm:  x = x + sublayer(norm(x))          norm_first
#pragma once

#include <slope/nn/layers/activations.h>
#include <slope/nn/layers/layer_norm.h>
#include <slope/nn/transformer/attention.h>
#include <slope/nn/transformer/decoder_cache.h>
#include <slope/nn/transformer/packed_pair.h>

namespace slope::nn {

struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  Activation activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool norm_first = false;
  bool bias = true;  // of linear layers and norms
};

struct TransformerEncoderLayer {
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
  TransformerLayerOptions options;

  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {});
  Tensor forward(const Tensor& src, const Mask& mask = {}) const;  // (B, S, C)

  TransformerEncoderLayer blank() const;
  SLOPE_MODULE(TransformerEncoderLayer, self_attn, linear1, dropout, linear2, norm1, norm2,
               dropout1, dropout2)
};

struct TransformerDecoderLayer {
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;
  TransformerLayerOptions options;

  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {});
  // tgt (B, T, C), memory (B, S, C) -> (B, T, C)
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask = {},
                 const Mask& memory_mask = {}, DecoderLayerCache* cache = nullptr) const;

  TransformerDecoderLayer blank() const;
  SLOPE_MODULE(TransformerDecoderLayer, self_attn, multihead_attn, linear1, dropout, linear2, norm1,
               norm2, norm3, dropout1, dropout2, dropout3)
};

// Each layer has its own initial values (PyTorch's stacks copy those of one layer).
struct TransformerEncoder {
  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;

  TransformerEncoder(std::vector<TransformerEncoderLayer> layers,
                     std::optional<LayerNorm> norm = {})
      : layers(std::move(layers)), norm(std::move(norm)) {}
  Tensor forward(const Tensor& src, const Mask& mask = {}) const;  // (B, S, C)
  SLOPE_MODULE(TransformerEncoder, layers, norm)
};

struct TransformerDecoder {
  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;

  TransformerDecoder(std::vector<TransformerDecoderLayer> layers,
                     std::optional<LayerNorm> norm = {})
      : layers(std::move(layers)), norm(std::move(norm)) {}
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask = {},
                 const Mask& memory_mask = {}, DecoderCache* cache = nullptr) const;  // (B, T, C)
  SLOPE_MODULE(TransformerDecoder, layers, norm)
};

struct TransformerOptions {
  int64_t d_model = 512, nhead = 8, num_encoder_layers = 6, num_decoder_layers = 6;
  TransformerLayerOptions layer = {};
};

struct Transformer {
  TransformerOptions config;
  TransformerEncoder encoder;
  TransformerDecoder decoder;

  explicit Transformer(const TransformerOptions& options = {});
  // Xavier on all matrices. The packed in_proj counts as one matrix, so its bound is 1/sqrt(2) of
  // that of three separate projections.
  void reset_parameters() const;
  // (B, S, C), (B, T, C) -> (B, T, C). Without masks, all attend to all, as in PyTorch.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Mask& src_mask = {},
                 const Mask& tgt_mask = {}, const Mask& memory_mask = {}) const;
  // src, tgt: the embeddings of p's ids
  Tensor forward(const Tensor& src, const Tensor& tgt, const SequencePair& p) const {
    return forward(src, tgt, p.source_mask, p.target_mask, p.cross_mask);
  }
  SLOPE_MODULE(Transformer, encoder, decoder)
};

}  // namespace slope::nn
