// An encoder-decoder Transformer for translation built on nn::Transformer (PyTorch's): learned
// positions, post-norm layers, a norm after each stack.
//   From the first version of a course's slides. What was wrong there:
//   - the decoder had no mask for the source's padding, so that it attended to padding;
//   - padding shared the position of the last possible token;
//   - the dropout of embeddings was always 0.1, whatever the setting; translate() left the model in
//     evaluation mode.
//
// B batch · S source tokens · T target tokens · C d_model · V target vocabulary
#pragma once

#include <slope/models/encoder_decoder_config.h>
#include <slope/nn/nn.h>

namespace slope::nn_transformer {

using Config = models::EncoderDecoderConfig<models::Sizes{
    .d_model = 256, .n_heads = 8, .n_layers = 3, .d_feedforward = 512}>;

struct TransformerModel : nn::EncoderDecoder<TransformerModel> {
  Config config;
  nn::TransformerEmbedding embed_src, embed_tgt;
  nn::Transformer transformer;
  nn::Linear fc;
  explicit TransformerModel(const Config& c)
      : config(c), embed_src(c.source_vocab, c.d_model, c.max_len, c.dropout),
        embed_tgt(c.target_vocab, c.d_model, c.max_len, c.dropout),
        transformer({.d_model = c.d_model,
                     .nhead = nn::checked_heads(c.n_heads, c.d_model),
                     .num_encoder_layers = c.n_encoder_layers,
                     .num_decoder_layers = c.n_decoder_layers,
                     .layer = {.dim_feedforward = c.d_feedforward, .dropout = c.dropout}}),
        fc(c.d_model, c.target_vocab) {
    if (c.tie_embeddings) nn::tie(fc.weight, embed_tgt.embed_tok.weight);
    if (c.shared_vocab) nn::tie(embed_tgt.embed_tok.weight, embed_src.embed_tok.weight);
  }
  void init_weights() { nn::init::xavier_matrices(nn::parameters(*this)); }
  // i64 (B, T) -> (B, T, C)
  Tensor embed_source(const Tensor& ids, const Tensor& at) const { return embed_src(ids, at); }
  Tensor embed_target(const Tensor& ids, const Tensor& at) const { return embed_tgt(ids, at); }
  Tensor head(const Tensor& features) const { return fc(features); }  // (B, T, C) -> (B, T, V)
  const nn::Linear& output() const { return fc; }
  nn::AttentionPaths attention_paths() const {
    return nn::attention_paths_of(transformer, "transformer.", "self_attn", "self_attn",
                                  "multihead_attn");
  }
  SLOPE_MODULE(TransformerModel, embed_src, embed_tgt, transformer, fc)
};

}  // namespace slope::nn_transformer
