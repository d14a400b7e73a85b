// A pre-norm encoder-decoder Transformer whose norms have one gain and one bias for all channels,
// with unscaled embeddings and a head that gives log-probabilities. From a notebook that prints the
// result of each class. What was wrong there:
//   - masked_fill's result was discarded, so that no mask had an effect;
//   - queries, keys and values all came from wq; names, sizes and dropout came from other cells;
//   - all decoder blocks used the feed-forward of an earlier cell, missing from their parameters.
//
// B batch · S source tokens · T target tokens · C d_model · H heads · V target vocabulary
#pragma once

#include <slope/models/encoder_decoder_config.h>
#include <slope/nn/nn.h>

namespace slope::scalar_norm {

using Config = models::EncoderDecoderConfig<models::Sizes{
    .d_model = 512, .n_heads = 8, .n_layers = 6, .d_feedforward = 2048, .inner_dropout = true}>;

// alpha (x - E x) / (s + eps) + bias, s the standard deviation over the channels
struct LayerNormalization {
  nn::Parameter alpha{ones({1})}, bias{zeros({1})};  // the same for all channels
  Tensor forward(const Tensor& x) const { return alpha * nn::standardize(x, 1e-6) + bias; }
  SLOPE_MODULE(LayerNormalization, alpha, bias)
};

struct InputEmbeddings {
  nn::Embedding embedding;
  InputEmbeddings(int64_t vocabulary, const Config& c) : embedding(vocabulary, c.d_model) {}
  Tensor forward(const Tensor& ids) const { return embedding(ids); }  // (B, T) -> (B, T, C)
  SLOPE_MODULE(InputEmbeddings, embedding)
};

struct FeedForwardBlock {
  nn::Linear linear_1;
  nn::Dropout dropout;
  nn::Linear linear_2;
  explicit FeedForwardBlock(const Config& c)
      : linear_1(c.d_model, c.d_feedforward), dropout(c.on_activation()),
        linear_2(c.d_feedforward, c.d_model) {}
  Tensor forward(const Tensor& x) const { return linear_2(dropout(relu(linear_1(x)))); }
  SLOPE_MODULE(FeedForwardBlock, linear_1, dropout, linear_2)
};

struct MultiHeadAttentionBlock {
  nn::Linear wq, wk, wv, wo;
  nn::Dropout dropout;
  int64_t n_heads;
  explicit MultiHeadAttentionBlock(const Config& c)
      : wq(c.d_model, c.d_model), wk(c.d_model, c.d_model), wv(c.d_model, c.d_model),
        wo(c.d_model, c.d_model), dropout(c.on_attention()),
        n_heads(nn::checked_heads(c.n_heads, c.d_model)) {}
  Tensor forward(const Tensor& query, const Tensor& memory, const nn::Mask& mask,
                 nn::KvCache* cache = nullptr) const {
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(wk(memory), n_heads), nn::split_heads(wv(memory), n_heads)};
    });
    const Tensor q = nn::split_heads(wq(query), n_heads);                   // (B, H, T, C/H)
    return wo(nn::merge_heads(nn::attend(q, k, v, mask, dropout.rate())));  // (B, T, C)
  }
  SLOPE_MODULE(MultiHeadAttentionBlock, wq, wk, wv, wo, dropout)
};

struct ResidualConnection {
  nn::Dropout dropout;
  LayerNormalization norm;
  explicit ResidualConnection(const Config& c) : dropout(c.dropout), norm() {}
  template <class F>
  Tensor forward(const Tensor& x, const F& sublayer) const {
    return x + dropout(sublayer(norm(x)));
  }
  SLOPE_MODULE(ResidualConnection, dropout, norm)
};

struct EncoderBlock {
  MultiHeadAttentionBlock self_attention_block;
  FeedForwardBlock feed_forward_block;
  std::vector<ResidualConnection> residual_connection;
  explicit EncoderBlock(const Config& c)
      : self_attention_block(c), feed_forward_block(c),
        residual_connection(nn::layers_of<ResidualConnection>(2, c)) {}
  Tensor forward(Tensor x, const nn::Mask& mask) const {
    x = residual_connection[0](x, [&](const auto& y) { return self_attention_block(y, y, mask); });
    return residual_connection[1](x, feed_forward_block);  // (B, S, C)
  }
  SLOPE_MODULE(EncoderBlock, self_attention_block, feed_forward_block, residual_connection)
};

struct DecoderBlock {
  MultiHeadAttentionBlock self_attention_block, cross_attention_block;
  FeedForwardBlock feed_forward_block;
  std::vector<ResidualConnection> residual_connections;
  explicit DecoderBlock(const Config& c)
      : self_attention_block(c), cross_attention_block(c), feed_forward_block(c),
        residual_connections(nn::layers_of<ResidualConnection>(3, c)) {}
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask, nn::DecoderLayerCache* cache = nullptr) const {
    x = residual_connections[0](x, [&](const Tensor& y) {
      return self_attention_block(y, y, self_mask, nn::self_of(cache));
    });
    x = residual_connections[1](x, [&](const Tensor& y) {
      return cross_attention_block(y, memory, cross_mask, nn::cross_of(cache));
    });
    return residual_connections[2](x, feed_forward_block);  // (B, T, C)
  }
  SLOPE_MODULE(DecoderBlock, self_attention_block, cross_attention_block, feed_forward_block,
               residual_connections)
};

struct ProjectionLayer {
  nn::Linear proj;
  explicit ProjectionLayer(const Config& c) : proj(c.d_model, c.target_vocab) {}
  Tensor forward(const Tensor& x) const { return log_softmax(proj(x)); }  // (B, T, V)
  SLOPE_MODULE(ProjectionLayer, proj)
};

struct Transformer : nn::EncoderDecoder<Transformer> {
  Config config;
  nn::Encoder<EncoderBlock, LayerNormalization> encoder;
  nn::Decoder<DecoderBlock, LayerNormalization> decoder;
  InputEmbeddings src_embed, tgt_embed;
  nn::PositionalEncoding src_pos, tgt_pos;
  ProjectionLayer projection_layer;
  explicit Transformer(const Config& c)
      : config(c), encoder(c.n_encoder_layers, c, LayerNormalization()),
        decoder(c.n_decoder_layers, c, LayerNormalization()), src_embed(c.source_vocab, c),
        tgt_embed(c.target_vocab, c), src_pos(c.max_len, c.d_model, c.dropout),
        tgt_pos(c.max_len, c.d_model, c.dropout), projection_layer(c) {
    if (c.tie_embeddings) nn::tie(projection_layer.proj.weight, tgt_embed.embedding.weight);
    if (c.shared_vocab) nn::tie(tgt_embed.embedding.weight, src_embed.embedding.weight);
  }
  void init_weights() {
    nn::init::xavier_matrices(nn::parameters(*this));
    const bool one_table = config.tie_embeddings && config.shared_vocab;  // also the projection
    if (!one_table) nn::init::normal(src_embed.embedding.weight);  // as large as the sinusoids
    if (!config.tie_embeddings) nn::init::normal(tgt_embed.embedding.weight);
  }
  // ids x, i64 (B, T), and their positions t -> (B, T, C)
  Tensor embed_source(const Tensor& x, const Tensor& t) const { return src_pos(src_embed(x), t); }
  Tensor embed_target(const Tensor& x, const Tensor& t) const { return tgt_pos(tgt_embed(x), t); }
  Tensor head(const Tensor& features) const { return projection_layer(features); }
  const nn::Linear& output() const { return projection_layer.proj; }
  nn::AttentionPaths attention_paths() const {
    return nn::attention_paths_of(*this, "", "self_attention_block", "self_attention_block",
                                  "cross_attention_block");
  }
  SLOPE_MODULE(Transformer, encoder, decoder, src_embed, tgt_embed, src_pos, tgt_pos,
               projection_layer)
};

}  // namespace slope::scalar_norm
