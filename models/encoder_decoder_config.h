// The settings of an encoder-decoder for translation; a model gives its default sizes:
//   using Config = models::EncoderDecoderConfig<models::Sizes{.d_model = 512, …}>;
#pragma once

#include <slope/models/config.h>

namespace slope::models {

struct Sizes {
  int64_t d_model, n_heads, n_layers, d_feedforward;
  bool inner_dropout = false;  // attention and feed-forward have dropout rates of their own
};

template <Sizes sizes>
struct EncoderDecoderConfig {
  int64_t source_vocab = 0, target_vocab = 0;  // from the data
  bool shared_vocab = false;                   // from the data: one table embeds both sides
  int64_t d_model = sizes.d_model, n_heads = sizes.n_heads, n_encoder_layers = sizes.n_layers,
          n_decoder_layers = sizes.n_layers, d_feedforward = sizes.d_feedforward;
  double dropout = 0.1, attention_dropout = -1, activation_dropout = -1;
  int64_t max_len = 100;
  bool tie_embeddings = false;  // Press and Wolf, 2017
  int64_t pad = 0;

  double on_attention() const { return attention_dropout < 0 ? dropout : attention_dropout; }
  double on_activation() const { return activation_dropout < 0 ? dropout : activation_dropout; }
  SLOPE_CONFIG(
      key(d_model, "channels", 2, 1 << 16),
      key(n_heads, "attention heads; divides d_model", 1, 1 << 12),
      key(n_encoder_layers, "layers of the encoder", 1, 1000),
      key(n_decoder_layers, "layers of the decoder", 1, 1000),
      key(d_feedforward, "inner width of the feed-forward parts", 1, 1 << 20),
      key(dropout, "probability that a value is dropped in training", 0, 0.999),
      key(attention_dropout, "the same for attention weights; -1: the value of dropout", -1, 0.999)
          .below_0_only_least()
          .only_if(sizes.inner_dropout),
      key(activation_dropout,
          "the same in the feed-forward parts, after the activation; -1: the value of dropout", -1,
          0.999)
          .below_0_only_least()
          .only_if(sizes.inner_dropout),
      key(max_len, "positions: the longest sentence in tokens, <sos> and <eos> included", 3,
          1 << 20),
      key(tie_embeddings, "the target embedding is also the weight of the output projection"))
};

}  // namespace slope::models
