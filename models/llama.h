// A language model in the style of Llama: RMSNorm before each sublayer, rotary positions, SwiGLU,
// grouped queries, no biases.
//   Touvron et al., "LLaMA" and "Llama 2", 2023; names as in Hugging Face's LlamaForCausalLM.
//
// B batch · T tokens · S tokens, cached ones included · C hidden_size · H query heads · G key and
// value heads · D = C/H · V vocabulary
#pragma once

#include <slope/models/config.h>
#include <slope/nn/nn.h>

namespace slope::llama {

struct Config {
  int64_t vocab_size = 0;  // from the data
  int64_t block_size = 64, num_hidden_layers = 4, num_attention_heads = 4, num_key_value_heads = 2,
          hidden_size = 128, intermediate_size = 352;
  double rope_theta = 10000, rms_norm_eps = 1e-5;
  bool tie_word_embeddings = false;
  SLOPE_CONFIG(key(block_size, "context length: tokens that the model sees at once", 1, 1 << 20),
               key(num_hidden_layers, "decoder layers", 1, 1000),
               key(num_attention_heads, "query heads; divides hidden_size", 1, 1 << 12),
               key(num_key_value_heads, "heads of keys and values; divides num_attention_heads", 1,
                   1 << 12),
               key(hidden_size, "channels", 1, 1 << 16),
               key(intermediate_size, "inner width of the feed-forward parts", 1, 1 << 20),
               key(rope_theta, "base of the rotary positions' wavelengths", 1, 1e12),
               key(rms_norm_eps, "added to the mean square in norms", 0, 1),
               key(tie_word_embeddings,
                   "the embedding is also the weight of the output projection"))
};

struct LlamaAttention {
  nn::Linear q_proj, k_proj, v_proj, o_proj;
  int64_t H, G;
  explicit LlamaAttention(const Config& c)
      : q_proj(c.hidden_size, c.hidden_size, false), k_proj(c.hidden_size, keys(c), false),
        v_proj(c.hidden_size, keys(c), false), o_proj(c.hidden_size, c.hidden_size, false),
        H(c.num_attention_heads), G(c.num_key_value_heads) {}
  // With a cache, x holds the newest tokens and also attends to the earlier ones.
  Tensor forward(const Tensor& x, const nn::Rotation& at, nn::KvCache* cache = nullptr) const {
    const Tensor q = nn::rotate(nn::split_heads(q_proj(x), H), at);  // (B, H, T, D)
    const auto [k, v] = nn::keys_values(cache, [&]() -> nn::KeysValues {
      return {nn::rotate(nn::split_heads(k_proj(x), G), at), nn::split_heads(v_proj(x), G)};
    });  // (B, G, S, D)
    const nn::Mask past = nn::Mask::causal(q.size(2), k.size(2) - q.size(2));
    return o_proj(nn::merge_heads(nn::attend(q, repeat_kv(k), repeat_kv(v), past)));
  }
  SLOPE_MODULE(LlamaAttention, q_proj, k_proj, v_proj, o_proj)

 private:
  static int64_t keys(const Config& c) {  // the width of all keys, G D
    const int64_t H = c.num_attention_heads, G = c.num_key_value_heads;
    SLOPE_CHECK_AS(UsageError, H > 0 && c.hidden_size % (2 * H) == 0,
                   "llama: hidden_size {} is not divisible into {} heads of an even width",
                   c.hidden_size, H);
    SLOPE_CHECK_AS(UsageError, G > 0 && H % G == 0,
                   "llama: num_attention_heads {} is not divisible by num_key_value_heads {}", H,
                   G);
    return c.hidden_size / H * G;
  }
  Tensor repeat_kv(const Tensor& x) const {  // (B, G, S, D) -> (B, H, S, D)
    return G == H ? x : repeat_interleave(x, H / G, 1);
  }
};

// SwiGLU (Shazeer, 2020)
struct LlamaMLP {
  nn::Linear gate_proj, up_proj, down_proj;
  nn::SiLU act_fn;
  explicit LlamaMLP(const Config& c)
      : gate_proj(c.hidden_size, c.intermediate_size, false),
        up_proj(c.hidden_size, c.intermediate_size, false),
        down_proj(c.intermediate_size, c.hidden_size, false) {}
  Tensor forward(const Tensor& x) const { return down_proj(act_fn(gate_proj(x)) * up_proj(x)); }
  SLOPE_MODULE(LlamaMLP, gate_proj, up_proj, down_proj, act_fn)
};

struct LlamaDecoderLayer {
  LlamaAttention self_attn;
  LlamaMLP mlp;
  nn::RMSNorm input_layernorm, post_attention_layernorm;
  explicit LlamaDecoderLayer(const Config& c)
      : self_attn(c), mlp(c), input_layernorm(c.hidden_size, {.eps = c.rms_norm_eps}),
        post_attention_layernorm(c.hidden_size, {.eps = c.rms_norm_eps}) {}
  Tensor forward(Tensor x, const nn::Rotation& at, nn::KvCache* cache = nullptr) const {
    x = x + self_attn(input_layernorm(x), at, cache);
    return x + mlp(post_attention_layernorm(x));  // (B, T, C)
  }
  SLOPE_MODULE(LlamaDecoderLayer, self_attn, mlp, input_layernorm, post_attention_layernorm)
};

struct LlamaModel {
  nn::Embedding embed_tokens;
  std::vector<LlamaDecoderLayer> layers;
  nn::RMSNorm norm;
  nn::RotaryPositions rotary_emb;
  explicit LlamaModel(const Config& c)
      : embed_tokens(c.vocab_size, c.hidden_size),
        layers(nn::layers_of<LlamaDecoderLayer>(c.num_hidden_layers, c)),
        norm(c.hidden_size, {.eps = c.rms_norm_eps}),
        rotary_emb(c.block_size, c.hidden_size / c.num_attention_heads, c.rope_theta) {}
  // (B, T) i64 -> (B, T, C)
  Tensor forward(const Tensor& tokens, std::vector<nn::KvCache>* cache = nullptr) const {
    const int64_t first = cache ? (*cache)[0].length() : 0;
    const nn::Rotation at = rotary_emb.at(first, tokens.size(1));
    Tensor x = embed_tokens(tokens);
    for (size_t i = 0; i < layers.size(); ++i) x = layers[i](x, at, cache ? &(*cache)[i] : nullptr);
    return norm(x);
  }
  SLOPE_MODULE(LlamaModel, embed_tokens, layers, norm, rotary_emb)
};

struct LlamaForCausalLM {
  Config config;
  LlamaModel model;
  nn::Linear lm_head;
  explicit LlamaForCausalLM(const Config& c)
      : config(c), model(c), lm_head(c.hidden_size, c.vocab_size, false) {
    if (c.tie_word_embeddings) nn::tie(model.embed_tokens.weight, lm_head.weight);
  }
  void init_weights() {
    for (const Tensor& weight : nn::parameters(*this))
      if (weight.rank() >= 2) nn::init::normal(weight, 0, 0.02);
  }
  Tensor forward(const Tensor& tokens) const { return lm_head(model(tokens)); }  // (B, T, V)

  // Summed cross entropy of `targets` given `inputs`, both (B, T).
  Tensor loss(const Tensor& inputs, const Tensor& targets, double label_smoothing = 0) const {
    return linear_cross_entropy(model(inputs).reshape({-1, config.hidden_size}), lm_head.weight, {},
                                targets.reshape({-1}),
                                {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
  }

  // ---- generation with a cache
  using Cache = std::vector<nn::KvCache>;  // one per layer
  Cache start() const { return Cache(model.layers.size()); }
  // (B, T) the newest tokens -> (B, V) logits of the next
  Tensor step(const Tensor& tokens, Cache& cache) const {
    const nn::Scope scope(*this);
    return lm_head(model(tokens, &cache).select(1, -1));
  }
  SLOPE_MODULE(LlamaForCausalLM, model, lm_head)
};

}  // namespace slope::llama
