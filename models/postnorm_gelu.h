// A post-norm encoder-decoder Transformer with GELU and sinusoidal positions. Attention has no
// biases and divides scores by sqrt(d_model), not by the square root of a head's width.
//   From a blog post on the Transformer. What was wrong there:
//   - values were summed over two of their own indices, so that weights, masks and queries had no
//     effect;
//   - the decoder's blocks added the keys, not the target's stream, to the attention's output;
//   - the target's self-attention had the source's mask, and cross-attention the target's;
//   - the result had the keys' length; embeddings had dropout twice; the dropout of decoder blocks
//     was always 0.5, whatever the setting.
//
// B batch · S source tokens · T target tokens · C d_model · H heads · V target vocabulary
#pragma once

#include <slope/models/encoder_decoder_config.h>
#include <slope/nn/nn.h>

#include <cmath>

namespace slope::postnorm_gelu {

using Config = models::EncoderDecoderConfig<models::Sizes{
    .d_model = 256, .n_heads = 8, .n_layers = 6, .d_feedforward = 1024}>;

struct MultiHeadAttention {
  nn::Linear keys, queries, values, fc;
  int64_t n_heads;
  explicit MultiHeadAttention(const Config& c)
      : keys(c.d_model, c.d_model, false), queries(c.d_model, c.d_model, false),
        values(c.d_model, c.d_model, false), fc(c.d_model, c.d_model, false),
        n_heads(nn::checked_heads(c.n_heads, c.d_model)) {}
  Tensor forward(const Tensor& query, const Tensor& memory, const nn::Mask& mask,
                 nn::KvCache* cache = nullptr) const {
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(keys(memory), n_heads), nn::split_heads(values(memory), n_heads)};
    });
    const Tensor q = nn::split_heads(queries(query), n_heads);               // (B, H, T, C/H)
    const double scale = 1 / std::sqrt(static_cast<double>(query.size(2)));  // C, not C/H
    return fc(nn::merge_heads(nn::attend(q, k, v, mask, 0, scale)));         // (B, T, C)
  }
  SLOPE_MODULE(MultiHeadAttention, keys, queries, values, fc)
};

struct EncoderBlock {
  MultiHeadAttention attention;
  nn::LayerNorm layer_norm1, layer_norm2;
  nn::Sequential<nn::Linear, nn::GELU, nn::Linear> feed_forward;
  explicit EncoderBlock(const Config& c)
      : attention(c), layer_norm1(c.d_model), layer_norm2(c.d_model),
        feed_forward(nn::Linear(c.d_model, c.d_feedforward), nn::GELU(),
                     nn::Linear(c.d_feedforward, c.d_model)) {}
  Tensor forward(const Tensor& query, const Tensor& memory, const nn::Mask& mask,
                 nn::KvCache* cache = nullptr) const {
    const Tensor x = layer_norm1(query + attention(query, memory, mask, cache));
    return layer_norm2(x + feed_forward(x));  // (B, T, C)
  }
  SLOPE_MODULE(EncoderBlock, attention, layer_norm1, layer_norm2, feed_forward)
};

struct DecoderBlock {
  EncoderBlock encoder_block;    // cross-attention of the target to the source, feed-forward
  MultiHeadAttention attention;  // self-attention of the target
  nn::LayerNorm layer_norm;
  nn::Dropout dropout;
  explicit DecoderBlock(const Config& c)
      : encoder_block(c), attention(c), layer_norm(c.d_model), dropout(c.dropout) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask, nn::DecoderLayerCache* cache = nullptr) const {
    x = dropout(layer_norm(x + attention(x, x, self_mask, nn::self_of(cache))));
    return encoder_block(x, memory, cross_mask, nn::cross_of(cache));  // (B, T, C)
  }
  SLOPE_MODULE(DecoderBlock, encoder_block, attention, layer_norm, dropout)
};

struct Encoder {
  nn::Embedding embed;
  nn::PositionalEncoding position_embed;
  std::vector<EncoderBlock> encoder_layers;
  explicit Encoder(const Config& c)
      : embed(c.source_vocab, c.d_model), position_embed(c.max_len, c.d_model, c.dropout),
        encoder_layers(nn::layers_of<EncoderBlock>(c.n_encoder_layers, c)) {}
  Tensor forward(Tensor x, const nn::Mask& mask) const {  // x: embedded
    for (const EncoderBlock& layer : encoder_layers) x = layer(x, x, mask);
    return x;  // (B, S, C)
  }
  SLOPE_MODULE(Encoder, embed, position_embed, encoder_layers)
};

struct Decoder {
  nn::Embedding embed;
  nn::PositionalEncoding position_embed;
  std::vector<DecoderBlock> decoder_layer;
  nn::Linear fc;
  explicit Decoder(const Config& c)
      : embed(c.target_vocab, c.d_model), position_embed(c.max_len, c.d_model, c.dropout),
        decoder_layer(nn::layers_of<DecoderBlock>(c.n_decoder_layers, c)),
        fc(c.d_model, c.target_vocab) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask, nn::DecoderCache* cache = nullptr) const {
    for (size_t i = 0; i < decoder_layer.size(); ++i)
      x = decoder_layer[i](x, memory, self_mask, cross_mask, nn::layer_of(cache, i));
    return x;  // (B, T, C)
  }
  SLOPE_MODULE(Decoder, embed, position_embed, decoder_layer, fc)
};

struct Transformer : nn::EncoderDecoder<Transformer> {
  Config config;
  Encoder encoder;
  Decoder decoder;
  explicit Transformer(const Config& c) : config(c), encoder(c), decoder(c) {
    if (c.tie_embeddings) nn::tie(decoder.fc.weight, decoder.embed.weight);
    if (c.shared_vocab) nn::tie(decoder.embed.weight, encoder.embed.weight);
  }
  Tensor embed_source(const Tensor& ids, const Tensor& at) const {
    return encoder.position_embed(encoder.embed(ids), at);
  }
  Tensor embed_target(const Tensor& ids, const Tensor& at) const {
    return decoder.position_embed(decoder.embed(ids), at);
  }
  Tensor head(const Tensor& features) const { return decoder.fc(features); }
  const nn::Linear& output() const { return decoder.fc; }
  nn::AttentionPaths attention_paths() const {
    const size_t n = encoder.encoder_layers.size(), m = decoder.decoder_layer.size();
    return {.encoder = nn::layer_paths("encoder.encoder_layers", n, "attention"),
            .decoder = nn::layer_paths("decoder.decoder_layer", m, "attention"),
            .cross = nn::layer_paths("decoder.decoder_layer", m, "encoder_block.attention")};
  }
  SLOPE_MODULE(Transformer, encoder, decoder)
};

}  // namespace slope::postnorm_gelu
