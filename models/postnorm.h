// An encoder-decoder Transformer for translation with post-norm layers as in the original, learned
// positions, four separate projections in attention, and no norm after the stacks.
//   Vaswani et al., "Attention Is All You Need", 2017; this version is from a course's slides, with
//   two mistakes corrected: queries, keys and values each have their own projection, and padding
//   has its own positions.
//
// B batch · S source tokens · T target tokens · C d_model · H heads · D = C/H · V target vocabulary
#pragma once

#include <slope/models/encoder_decoder_config.h>
#include <slope/nn/nn.h>

namespace slope::postnorm {

using Config = models::EncoderDecoderConfig<models::Sizes{
    .d_model = 256, .n_heads = 8, .n_layers = 3, .d_feedforward = 512, .inner_dropout = true}>;

struct MultiheadAttention {
  nn::Linear fc_query, fc_key, fc_value, fc_out;
  nn::Dropout dropout;
  int64_t n_heads;
  explicit MultiheadAttention(const Config& c)
      : fc_query(c.d_model, c.d_model), fc_key(c.d_model, c.d_model),
        fc_value(c.d_model, c.d_model), fc_out(c.d_model, c.d_model), dropout(c.on_attention()),
        n_heads(nn::checked_heads(c.n_heads, c.d_model)) {}
  Tensor forward(const Tensor& query, const Tensor& memory, const nn::Mask& mask,
                 nn::KvCache* cache = nullptr) const {
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(fc_key(memory), n_heads), nn::split_heads(fc_value(memory), n_heads)};
    });
    const Tensor q = nn::split_heads(fc_query(query), n_heads);                 // (B, H, T, D)
    return fc_out(nn::merge_heads(nn::attend(q, k, v, mask, dropout.rate())));  // (B, T, C)
  }
  SLOPE_MODULE(MultiheadAttention, fc_query, fc_key, fc_value, fc_out, dropout)
};

struct EncoderLayer {
  MultiheadAttention mha;
  nn::LayerNorm ln1;
  nn::FeedForward ff;
  nn::LayerNorm ln2;
  nn::Dropout dropout;
  explicit EncoderLayer(const Config& c)
      : mha(c), ln1(c.d_model), ff(c.d_model, c.d_feedforward, {.dropout = c.on_activation()}),
        ln2(c.d_model), dropout(c.dropout) {}
  Tensor forward(Tensor x, const nn::Mask& mask) const {
    x = ln1(x + dropout(mha(x, x, mask)));
    return ln2(x + dropout(ff(x)));  // (B, S, C)
  }
  SLOPE_MODULE(EncoderLayer, mha, ln1, ff, ln2, dropout)
};

struct DecoderLayer {
  MultiheadAttention mha1;  // self-attention of the target
  nn::LayerNorm ln1;
  MultiheadAttention mha2;  // cross-attention of the target to the source
  nn::LayerNorm ln2;
  nn::FeedForward ff;
  nn::LayerNorm ln3;
  nn::Dropout dropout;
  explicit DecoderLayer(const Config& c)
      : mha1(c), ln1(c.d_model), mha2(c), ln2(c.d_model),
        ff(c.d_model, c.d_feedforward, {.dropout = c.on_activation()}), ln3(c.d_model),
        dropout(c.dropout) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask, nn::DecoderLayerCache* cache = nullptr) const {
    x = ln1(x + dropout(mha1(x, x, self_mask, nn::self_of(cache))));
    x = ln2(x + dropout(mha2(x, memory, cross_mask, nn::cross_of(cache))));
    return ln3(x + dropout(ff(x)));  // (B, T, C)
  }
  SLOPE_MODULE(DecoderLayer, mha1, ln1, mha2, ln2, ff, ln3, dropout)
};

struct PostNormTransformer : nn::EncoderDecoder<PostNormTransformer> {
  Config config;
  nn::TransformerEmbedding embed_src, embed_tgt;
  nn::Stacks<EncoderLayer, DecoderLayer> transformer;
  nn::Linear fc;
  explicit PostNormTransformer(const Config& c)
      : config(c), embed_src(c.source_vocab, c.d_model, c.max_len, c.dropout),
        embed_tgt(c.target_vocab, c.d_model, c.max_len, c.dropout),
        transformer(c.n_encoder_layers, c.n_decoder_layers, c), fc(c.d_model, c.target_vocab) {
    // The tied table gets the projection's small initial values; embed_tgt.scale makes up for it.
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
    return nn::attention_paths_of(transformer, "transformer.", "mha", "mha1", "mha2");
  }
  SLOPE_MODULE(PostNormTransformer, embed_src, embed_tgt, transformer, fc)
};

}  // namespace slope::postnorm
