// C-scratch: an encoder-decoder Transformer for translation, German to English in its published
// form: post-norm, learned positions, its own attention with four separate projections, no norm
// after the stacks.
//   Vaswani et al., "Attention Is All You Need", 2017; this variant from a course's slides, with
//   its mistakes put right: queries, keys and values each have their own projection, and padding
//   keeps its own positions.
//
// B batch · S source tokens · T target tokens · C d_model · H heads · D = C/H · V target vocabulary
#pragma once

#include <slope/nn/nn.h>

#include <cmath>

namespace slope::c_scratch {

struct Config {
  int64_t source_vocab, target_vocab;
  int64_t d_model = 256, n_heads = 8, n_encoder_layers = 3, n_decoder_layers = 3,
          d_feedforward = 512;
  double dropout = 0.1;
  int64_t max_len = 100;  // positions
  int64_t pad = 0;
  // the target's table is the output projection's weight too (Press and Wolf, 2017)
  bool tie_embeddings = false;
};

// x_t = sqrt(C) E[token_t] + P[t]
struct TransformerEmbedding {
  nn::Embedding embed_tok, embed_pos;
  nn::Dropout dropout;
  double scale;
  TransformerEmbedding(const Config& c, int64_t vocab)
      : embed_tok(vocab, c.d_model),
        embed_pos(c.max_len, c.d_model),
        dropout(c.dropout),
        scale(std::sqrt(static_cast<double>(c.d_model))) {}
  // (B, T) i64, the first being number `first` of its sentence
  Tensor forward(const Tensor& tokens, int64_t first = 0) const {
    auto [B, T] = tokens.dims<2>();
    check_length(first + T);
    return dropout(embed_tok(tokens) * scale + embed_pos.weight.narrow(0, first, T));  // (B, T, C)
  }
  Tensor forward(const Tensor& tokens, const Tensor& positions) const {  // both (B, T)
    return dropout(embed_tok(tokens) * scale + embed_pos(positions));    // (B, T, C)
  }
  void check_length(int64_t T) const {
    const int64_t positions = embed_pos.weight.size(0);
    SLOPE_CHECK_INPUT(T <= positions, "c-scratch: a sentence of {} tokens exceeds max_len {}", T,
                      positions);
  }
  SLOPE_MODULE(TransformerEmbedding, embed_tok, embed_pos, dropout)
};

using nn::KeysValues;

struct MultiheadAttention {
  nn::Linear fc_query, fc_key, fc_value, fc_out;
  nn::Dropout dropout;
  int64_t n_heads;
  explicit MultiheadAttention(const Config& c)
      : fc_query(c.d_model, c.d_model),
        fc_key(c.d_model, c.d_model),
        fc_value(c.d_model, c.d_model),
        fc_out(c.d_model, c.d_model),
        dropout(c.dropout),
        n_heads(c.n_heads) {
    SLOPE_CHECK_AS(UsageError, c.n_heads > 0 && c.d_model % c.n_heads == 0,
                   "c-scratch: d_model {} is not divisible by n_heads {}", c.d_model, c.n_heads);
  }
  KeysValues keys_values(const Tensor& x) const {
    return {nn::split_heads(fc_key(x), n_heads), nn::split_heads(fc_value(x), n_heads)};
  }
  Tensor attend(const Tensor& x, const KeysValues& kv, const nn::Mask& mask) const {
    const Tensor q = nn::split_heads(fc_query(x), n_heads);  // (B, H, T, D)
    return fc_out(nn::merge_heads(nn::attend(q, kv.k, kv.v, mask, dropout.rate())));  // (B, T, C)
  }
  Tensor forward(const Tensor& query, const Tensor& memory, const nn::Mask& mask) const {
    return attend(query, keys_values(memory), mask);
  }
  SLOPE_MODULE(MultiheadAttention, fc_query, fc_key, fc_value, fc_out, dropout)
};

struct FeedForward {
  nn::Linear linear1;
  nn::Dropout dropout;
  nn::Linear linear2;
  explicit FeedForward(const Config& c)
      : linear1(c.d_model, c.d_feedforward),
        dropout(c.dropout),
        linear2(c.d_feedforward, c.d_model) {}
  Tensor forward(const Tensor& x) const { return linear2(dropout(relu(linear1(x)))); }
  SLOPE_MODULE(FeedForward, linear1, dropout, linear2)
};

struct EncoderLayer {
  MultiheadAttention mha;
  nn::LayerNorm ln1;
  FeedForward ff;
  nn::LayerNorm ln2;
  nn::Dropout dropout;
  explicit EncoderLayer(const Config& c)
      : mha(c), ln1(c.d_model), ff(c), ln2(c.d_model), dropout(c.dropout) {}
  Tensor forward(Tensor x, const nn::Mask& mask) const {
    x = ln1(x + dropout(mha(x, x, mask)));
    return ln2(x + dropout(ff(x)));  // (B, S, C)
  }
  SLOPE_MODULE(EncoderLayer, mha, ln1, ff, ln2, dropout)
};

struct DecoderLayer {
  MultiheadAttention mha1;  // of the target on itself
  nn::LayerNorm ln1;
  MultiheadAttention mha2;  // of the target on the source
  nn::LayerNorm ln2;
  FeedForward ff;
  nn::LayerNorm ln3;
  nn::Dropout dropout;
  explicit DecoderLayer(const Config& c)
      : mha1(c),
        ln1(c.d_model),
        mha2(c),
        ln2(c.d_model),
        ff(c),
        ln3(c.d_model),
        dropout(c.dropout) {}

  // `self`: keys and values of the target up to x; `cross`: of the source.
  Tensor attend(Tensor x, const KeysValues& self, const nn::Mask& self_mask,
                const KeysValues& cross, const nn::Mask& cross_mask) const {
    x = ln1(x + dropout(mha1.attend(x, self, self_mask)));
    x = ln2(x + dropout(mha2.attend(x, cross, cross_mask)));
    return ln3(x + dropout(ff(x)));  // (B, T, C)
  }
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask) const {
    // mha1(…), not its attend(…): hooks see what goes through modules
    x = ln1(x + dropout(mha1(x, x, self_mask)));
    x = ln2(x + dropout(mha2(x, memory, cross_mask)));
    return ln3(x + dropout(ff(x)));  // (B, T, C)
  }
  SLOPE_MODULE(DecoderLayer, mha1, ln1, mha2, ln2, ff, ln3, dropout)
};

struct Encoder {
  std::vector<EncoderLayer> layers;
  explicit Encoder(const Config& c) {
    for (int64_t i = 0; i < c.n_encoder_layers; ++i) layers.emplace_back(c);
  }
  Tensor forward(Tensor x, const nn::Mask& mask) const {
    for (const EncoderLayer& layer : layers) x = layer(x, mask);
    return x;  // (B, S, C)
  }
  SLOPE_MODULE(Encoder, layers)
};

struct Decoder {
  std::vector<DecoderLayer> layers;
  explicit Decoder(const Config& c) {
    for (int64_t i = 0; i < c.n_decoder_layers; ++i) layers.emplace_back(c);
  }
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask) const {
    for (const DecoderLayer& layer : layers) x = layer(x, memory, self_mask, cross_mask);
    return x;  // (B, T, C)
  }
  SLOPE_MODULE(Decoder, layers)
};

struct Transformer {
  Encoder encoder;
  Decoder decoder;
  explicit Transformer(const Config& c) : encoder(c), decoder(c) {}
  // The masks: of the source on itself, of the target on itself, of the target on the source.
  Tensor forward(const Tensor& source, const Tensor& target, const nn::Mask& source_mask,
                 const nn::Mask& target_mask, const nn::Mask& cross_mask) const {
    return decoder(target, encoder(source, source_mask), target_mask, cross_mask);  // (B, T, C)
  }
  SLOPE_MODULE(Transformer, encoder, decoder)
};

struct CScratch {
  Config config;
  TransformerEmbedding embed_src, embed_tgt;
  Transformer transformer;
  nn::Linear fc;
  explicit CScratch(const Config& c)
      : config(c),
        embed_src(c, c.source_vocab),
        embed_tgt(c, c.target_vocab),
        transformer(c),
        fc(c.d_model, c.target_vocab) {
    // with the projection's small values, which `scale` makes up for
    if (c.tie_embeddings) nn::tie(fc.weight, embed_tgt.embed_tok.weight);
  }

  // source (B, S), target (B, T): i64, padded; target begins with <sos>
  Tensor features(const Tensor& source, const Tensor& target) const {
    const nn::Mask source_mask = nn::Mask::padding(source, config.pad);
    const nn::Mask target_mask =
        nn::Mask::padding(target, config.pad) & nn::Mask::causal(target.size(1));
    // (B, T, C)
    return transformer(embed_src(source), embed_tgt(target), source_mask, target_mask, source_mask);
  }
  Tensor head(const Tensor& features) const { return fc(features); }  // (B, T, V)
  Tensor forward(const Tensor& source, const Tensor& target) const {
    return head(features(source, target));
  }  // (B, T, V)

  // Cross entropy of target[:, 1:] given target[:, :-1], summed over what is not
  // padding. target (B, T+1)
  //
  // The N source and M target tokens that are not padding stand one after the other, as one
  // sentence whose parts do not see each other: so nothing is computed for padding. The same
  // numbers as from features() but for rounding and what dropout draws. A batch keeps its
  // padding where that also stands amid a sentence, and while attention is captured, whose
  // maps are (B, H, T, S).
  Tensor loss(const Tensor& source, const Tensor& target, double label_smoothing = 0) const {
    const nn::Scope scope(*this);
    const int64_t T = target.size(1) - 1;
    const Tensor given = target.narrow(1, 0, T), next = target.narrow(1, 1, T);
    const Tensor s = nn::unpadded_lengths(source, config.pad),
                 t = nn::unpadded_lengths(next, config.pad);  // (B)
    if (!s.defined() || !nn::unpadded_lengths(target, config.pad).defined() ||
        nn::attention_is_captured())
      return loss_of(features(source, given), next, label_smoothing);
    embed_src.check_length(source.size(1));
    embed_tgt.check_length(T);
    const Tensor x = transformer(embed_src(nn::pack(source, s), nn::packed_positions(s)),
                                 embed_tgt(nn::pack(given, t), nn::packed_positions(t)),
                                 nn::Mask::sequences(s, s), nn::Mask::causal_sequences(t),
                                 nn::Mask::sequences(t, s));  // (1, M, C)
    return loss_of(x, nn::pack(next, t), label_smoothing);
  }
  // (B, T, C), (B, T)
  Tensor loss_of(const Tensor& features, const Tensor& next, double label_smoothing) const {
    return linear_cross_entropy(features.reshape({-1, config.d_model}), fc.weight,
                                nn::or_none(fc.bias), next.reshape({-1}),
                                {.ignore_index = config.pad,
                                 .label_smoothing = label_smoothing,
                                 .reduction = Reduction::sum});
  }

  // ---- decoding with a cache: what was computed for earlier tokens is kept
  struct Cache {
    std::vector<nn::KvCache> self;     // a layer each, of the target so far
    std::vector<KeysValues> cross;     // of the source
    Tensor source;                     // (B, S)
    int64_t length = 0;                // tokens so far
    void select(const Tensor& rows) {  // keeps and reorders sentences: rows (B',)
      for (nn::KvCache& kv : self) kv.select(rows);
      for (KeysValues& kv : cross) kv = {index_select(kv.k, 0, rows), index_select(kv.v, 0, rows)};
      source = index_select(source, 0, rows);
    }
  };
  Cache start(const Tensor& source) const {  // (B, S)
    const nn::Scope scope(*this);
    Cache cache{.source = source};
    const Tensor memory =
        transformer.encoder(embed_src(source), nn::Mask::padding(source, config.pad));  // (B, S, C)
    for (const DecoderLayer& layer : transformer.decoder.layers)
      cache.cross.push_back(layer.mha2.keys_values(memory));
    cache.self.resize(cache.cross.size());
    return cache;
  }
  // (B,) the newest token of each sentence -> (B, V) logits of the next
  Tensor step(const Tensor& token, Cache& cache) const {
    const nn::Scope scope(*this);
    const nn::Mask source_mask = nn::Mask::padding(cache.source, config.pad);
    Tensor x = embed_tgt(token.unsqueeze(1), cache.length++);  // (B, 1, C)
    for (size_t i = 0; i < cache.self.size(); ++i) {
      const DecoderLayer& layer = transformer.decoder.layers[i];
      const KeysValues self = cache.self[i].append(layer.mha1.keys_values(x));
      x = layer.attend(x, self, nn::Mask(), cache.cross[i], source_mask);
    }
    return head(x.select(1, 0));  // (B, V)
  }
  SLOPE_MODULE(CScratch, embed_src, embed_tgt, transformer, fc)
};

}  // namespace slope::c_scratch
