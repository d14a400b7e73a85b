// torch.nn.TransformerEncoderLayer and TransformerDecoderLayer: names, arguments, initial values
// and printed text are PyTorch's, batch first by default. One forward serves training and cached
// decoding.
//   post-norm: x = norm(x + sublayer(x))          Vaswani et al., 2017
//   pre-norm:  x = x + sublayer(norm(x))          norm_first
#pragma once

#include <slope/nn/layers/activations.h>
#include <slope/nn/layers/layer_norm.h>
#include <slope/nn/transformer/attention.h>
#include <slope/nn/transformer/decoder_cache.h>

namespace slope::nn {

struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  ActivationFunction activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool norm_first = false;
  bool bias = true;         // of linear layers and norms
  bool batch_first = true;  // false: (S, B, C)
};

// The arguments of PyTorch's layers. Masks have the shapes of AttentionArguments; is_causal, a
// hint, is checked and changes no result.
struct EncoderLayerArguments {
  Mask src_mask = {}, src_key_padding_mask = {};
  bool is_causal = false;
};
struct DecoderArguments {
  Mask tgt_mask = {}, memory_mask = {}, tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool tgt_is_causal = false, memory_is_causal = false;
};
struct DecoderMasks {
  Mask self, cross;
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
  Tensor forward(const Tensor& src, const Mask& mask = {}) const;  // (B, S, C), or (S, C)
  Tensor forward(const Tensor& src, const EncoderLayerArguments& a) const {
    return forward(src, mask_of(src, a, "TransformerEncoderLayer"));
  }
  Mask mask_of(const Tensor& src, const EncoderLayerArguments& a, const char* who) const;

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
  // tgt (B, T, C), memory (B, S, C) -> (B, T, C), or all without B
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Mask& tgt_mask = {},
                 const Mask& memory_mask = {}, DecoderLayerCache* cache = nullptr) const;
  Tensor forward(const Tensor& tgt, const Tensor& memory, const DecoderArguments& a) const {
    const DecoderMasks masks = masks_of(tgt, memory, a, "TransformerDecoderLayer");
    return forward(tgt, memory, masks.self, masks.cross);
  }
  DecoderMasks masks_of(const Tensor& tgt, const Tensor& memory, const DecoderArguments& a,
                        const std::string& who) const;

  TransformerDecoderLayer blank() const;
  SLOPE_MODULE(TransformerDecoderLayer, self_attn, multihead_attn, linear1, dropout, linear2, norm1,
               norm2, norm3, dropout1, dropout2, dropout3)
};

}  // namespace slope::nn
