// microGPT: the smallest complete GPT, which learns to spell names. Read this Transformer first.
//   Karpathy, "microgpt", 2026: a program of 200 lines. RMSNorm without weights, no biases, ReLU.
//
// B batch · T tokens · C n_embd · H heads · V vocabulary
#pragma once

#include <slope/models/config.h>
#include <slope/nn/nn.h>

namespace slope::microgpt {

struct Config {
  int64_t vocab_size = 0;  // from the data
  int64_t block_size = 16, n_layer = 1, n_head = 4, n_embd = 16;
  SLOPE_CONFIG(key(block_size, "context length: tokens that the model sees at once", 1, 1 << 20),
               key(n_layer, "blocks", 1, 1000),
               key(n_head, "attention heads; divides n_embd", 1, 1 << 12),
               key(n_embd, "channels", 1, 1 << 16))
};

struct Block {
  nn::RMSNorm norm;  // without weights, so one serves both places
  nn::Linear attn_wq, attn_wk, attn_wv, attn_wo, mlp_fc1, mlp_fc2;
  int64_t n_head;
  explicit Block(const Config& c)
      : norm(c.n_embd, {.eps = 1e-5, .elementwise_affine = false}),
        attn_wq(c.n_embd, c.n_embd, false), attn_wk(c.n_embd, c.n_embd, false),
        attn_wv(c.n_embd, c.n_embd, false), attn_wo(c.n_embd, c.n_embd, false),
        mlp_fc1(c.n_embd, 4 * c.n_embd, false), mlp_fc2(4 * c.n_embd, c.n_embd, false),
        n_head(nn::checked_heads(c.n_head, c.n_embd, "n_head", "n_embd")) {}
  // Each token gathers from itself and those before it, …
  Tensor attention(const Tensor& x, nn::KvCache* cache) const {
    const Tensor q = nn::split_heads(attn_wq(x), n_head);  // (B, H, T, C/H)
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(attn_wk(x), n_head), nn::split_heads(attn_wv(x), n_head)};
    });
    const nn::Mask past = nn::Mask::causal(q.size(2), k.size(2) - q.size(2));
    return attn_wo(nn::merge_heads(nn::attend(q, k, v, past)));  // (B, T, C)
  }
  // … then computes by itself.
  Tensor mlp(const Tensor& x) const { return mlp_fc2(relu(mlp_fc1(x))); }
  Tensor forward(Tensor x, nn::KvCache* cache = nullptr) const {
    x = x + attention(norm(x), cache);
    return x + mlp(norm(x));  // (B, T, C)
  }
  SLOPE_MODULE(Block, norm, attn_wq, attn_wk, attn_wv, attn_wo, mlp_fc1, mlp_fc2)
};

struct MicroGpt {
  Config config;
  nn::Embedding wte, wpe;  // of tokens, of positions
  nn::RMSNorm norm;
  std::vector<Block> layers;
  nn::Linear lm_head;
  explicit MicroGpt(const Config& c)
      : config(c), wte(c.vocab_size, c.n_embd), wpe(c.block_size, c.n_embd),
        norm(c.n_embd, {.eps = 1e-5, .elementwise_affine = false}),
        layers(nn::layers_of<Block>(c.n_layer, c)), lm_head(c.n_embd, c.vocab_size, false) {}
  void init_weights() {
    for (const Tensor& weight : nn::parameters(*this)) nn::init::normal(weight, 0, 0.08);
  }
  // (B, T) i64 -> (B, T, V). With a cache, `tokens` are only the newest ones.
  Tensor forward(const Tensor& tokens, std::vector<nn::KvCache>* cache = nullptr) const {
    const int64_t T = tokens.size(1), first = cache ? (*cache)[0].length() : 0;
    SLOPE_CHECK_INPUT(first + T <= config.block_size,
                      "microgpt: sequence of {} exceeds block_size {}", first + T,
                      config.block_size);
    const Tensor places = wpe(nn::positions(T, first));  // (T, C), on the tape before wte(tokens)
    Tensor x = norm(wte(tokens) + places);
    for (size_t i = 0; i < layers.size(); ++i) x = layers[i](x, cache ? &(*cache)[i] : nullptr);
    return lm_head(x);
  }

  // ---- generation with a cache
  using Cache = std::vector<nn::KvCache>;  // one per layer
  Cache start() const { return Cache(layers.size()); }
  // (B, T) the newest tokens -> (B, V) logits of the next
  Tensor step(const Tensor& tokens, Cache& cache) const {
    const nn::Scope scope(*this);
    return forward(tokens, &cache).select(1, -1);
  }
  SLOPE_MODULE(MicroGpt, wte, wpe, norm, layers, lm_head)
};

}  // namespace slope::microgpt
