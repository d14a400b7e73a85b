// Character GPT: a decoder-only Transformer on single characters, nanoGPT's recipe for a CPU.
// Pre-norm, GELU, by default no biases; the token embedding is also the output projection.
//   Radford et al., "Language Models are Unsupervised Multitask Learners", 2019; names and
//   initial values as in nanoGPT.
//
// B batch · T tokens · S tokens, cached ones included · C n_embd · H heads · D = C/H · V vocabulary
#pragma once

#include <slope/models/config.h>
#include <slope/nn/nn.h>

#include <cmath>

namespace slope::char_gpt {

struct Config {
  int64_t vocab_size = 0;  // from the data
  int64_t block_size = 64, n_layer = 4, n_head = 4, n_embd = 128;
  double dropout = 0;
  bool bias = false;
  SLOPE_CONFIG(key(block_size, "context length: tokens that the model sees at once", 1, 1 << 20),
               key(n_layer, "blocks", 1, 1000),
               key(n_head, "attention heads; divides n_embd", 1, 1 << 12),
               key(n_embd, "channels", 1, 1 << 16),
               key(dropout, "probability that a value is dropped in training", 0, 0.999),
               key(bias, "biases in linear layers and norms"))
};

struct CausalSelfAttention {
  nn::Linear c_attn, c_proj;
  nn::Dropout attn_dropout, resid_dropout;
  int64_t n_head;
  explicit CausalSelfAttention(const Config& c)
      : c_attn(c.n_embd, 3 * c.n_embd, c.bias), c_proj(c.n_embd, c.n_embd, c.bias),
        attn_dropout(c.dropout), resid_dropout(c.dropout), n_head(c.n_head) {
    SLOPE_CHECK_AS(UsageError, c.n_head > 0 && c.n_embd % c.n_head == 0,
                   "gpt: n_embd {} is not divisible by n_head {}", c.n_embd, c.n_head);
  }
  // With a cache, x holds the newest tokens and also attends to the earlier ones.
  Tensor forward(const Tensor& x, nn::KvCache* cache = nullptr) const {
    const int64_t C = x.size(2);
    const Tensors qkv = split(c_attn(x), C, 2);  // each (B, T, C)
    const Tensor q = nn::split_heads(qkv[0], n_head);
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::split_heads(qkv[1], n_head), nn::split_heads(qkv[2], n_head)};
    });  // (B, H, S, D)
    const nn::Mask mask = nn::Mask::causal(q.size(2), k.size(2) - q.size(2));
    // (B, T, C)
    return resid_dropout(c_proj(nn::merge_heads(nn::attend(q, k, v, mask, attn_dropout.rate()))));
  }
  SLOPE_MODULE(CausalSelfAttention, c_attn, c_proj, attn_dropout, resid_dropout)
};

struct MLP {
  nn::Linear c_fc;
  nn::GELU gelu;
  nn::Linear c_proj;
  nn::Dropout dropout;
  explicit MLP(const Config& c)
      : c_fc(c.n_embd, 4 * c.n_embd, c.bias), c_proj(4 * c.n_embd, c.n_embd, c.bias),
        dropout(c.dropout) {}
  Tensor forward(const Tensor& x) const { return dropout(c_proj(gelu(c_fc(x)))); }
  SLOPE_MODULE(MLP, c_fc, gelu, c_proj, dropout)
};

struct Block {
  nn::LayerNorm ln_1;
  CausalSelfAttention attn;
  nn::LayerNorm ln_2;
  MLP mlp;
  explicit Block(const Config& c)
      : ln_1(c.n_embd, {.bias = c.bias}), attn(c), ln_2(c.n_embd, {.bias = c.bias}), mlp(c) {}
  Tensor forward(Tensor x, nn::KvCache* cache = nullptr) const {
    x = x + attn(ln_1(x), cache);
    return x + mlp(ln_2(x));  // (B, T, C)
  }
  SLOPE_MODULE(Block, ln_1, attn, ln_2, mlp)
};

struct GptBody {
  nn::Embedding wte, wpe;
  nn::Dropout drop;
  std::vector<Block> h;
  nn::LayerNorm ln_f;
  explicit GptBody(const Config& c)
      : wte(c.vocab_size, c.n_embd), wpe(c.block_size, c.n_embd), drop(c.dropout),
        ln_f(c.n_embd, {.bias = c.bias}) {
    SLOPE_CHECK_AS(UsageError, c.n_layer > 0, "gpt: needs at least one layer, got n_layer {}",
                   c.n_layer);
    for (int64_t i = 0; i < c.n_layer; ++i) h.emplace_back(c);
  }
  // (B, T) i64
  Tensor forward(const Tensor& tokens, std::vector<nn::KvCache>* cache = nullptr) const {
    const int64_t T = tokens.size(1), first = cache ? (*cache)[0].length() : 0;
    SLOPE_CHECK_INPUT(first + T <= wpe.weight.size(0), "gpt: sequence of {} exceeds block_size {}",
                      first + T, wpe.weight.size(0));
    Tensor x = drop(wte(tokens) + wpe.weight.narrow(0, first, T));
    for (size_t i = 0; i < h.size(); ++i) x = h[i](x, cache ? &(*cache)[i] : nullptr);
    return ln_f(x);  // (B, T, C)
  }
  SLOPE_MODULE(GptBody, wte, wpe, drop, h, ln_f)
};

struct CharGpt {
  Config config;
  GptBody transformer;
  nn::Linear lm_head;
  explicit CharGpt(const Config& c)
      : config(c), transformer(c), lm_head(c.n_embd, c.vocab_size, false) {
    nn::tie(transformer.wte.weight, lm_head.weight);
  }
  // Normal with standard deviation 0.02, divided by sqrt(2 n_layer) for projections into the
  // residual stream (two in each block). Biases are 0.
  void init_weights() {
    const double layers = static_cast<double>(config.n_layer);
    for (const auto& [name, weight] : nn::named_parameters(*this))
      if (weight.rank() >= 2)
        nn::init::normal(weight, 0,
                         name.ends_with("c_proj.weight") ? 0.02 / std::sqrt(2 * layers) : 0.02);
      else if (name.ends_with("bias"))
        nn::init::zeros(weight);
  }
  Tensor features(const Tensor& tokens) const { return transformer(tokens); }    // (B, T, C)
  Tensor head(const Tensor& features) const { return lm_head(features); }        // (B, T, V)
  Tensor forward(const Tensor& tokens) const { return head(features(tokens)); }  // (B, T, V)

  // Summed cross entropy of `targets` given `inputs`, both (B, T).
  Tensor loss(const Tensor& inputs, const Tensor& targets, double label_smoothing = 0) const {
    const nn::Scope scope(*this);
    return linear_cross_entropy(features(inputs).reshape({-1, config.n_embd}), lm_head.weight, {},
                                targets.reshape({-1}),
                                {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
  }

  // ---- generation with a cache
  using Cache = std::vector<nn::KvCache>;  // one per layer
  Cache start() const { return Cache(transformer.h.size()); }
  // (B, T) the newest tokens -> (B, V) logits of the next
  Tensor step(const Tensor& tokens, Cache& cache) const {
    const nn::Scope scope(*this);
    const Tensor x = transformer(tokens, &cache);
    return head(x.select(1, -1));
  }
  SLOPE_MODULE(CharGpt, transformer, lm_head)
};

}  // namespace slope::char_gpt
