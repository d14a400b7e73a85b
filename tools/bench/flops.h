// Operations of the matrix products of a model's forward, attention's among them; masks save none
// of them here.
//
// B batch · S source tokens · T target tokens · K tokens that a target token attends to · C
// channels · F feed-forward · V vocabulary
#pragma once

#include <slope/models/c_scratch.h>
#include <slope/models/char_gpt.h>
#include <slope/models/mlp.h>

namespace slope::tools::flops {

inline double product(int64_t m, int64_t n, int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
}
inline double attention(int64_t B, int64_t T, int64_t K, int64_t C) {
  return 2 * product(B * T, K, C);
}

inline double encoder(const c_scratch::Config& c, int64_t B, int64_t S) {
  const int64_t C = c.d_model;
  return static_cast<double>(c.n_encoder_layers) *
         (4 * product(B * S, C, C) + attention(B, S, S, C) +
          2 * product(B * S, C, c.d_feedforward));
}
inline double cross_keys_values(const c_scratch::Config& c, int64_t B, int64_t S) {
  return static_cast<double>(c.n_decoder_layers) * 2 * product(B * S, c.d_model, c.d_model);
}
inline double decoder(const c_scratch::Config& c, int64_t B, int64_t T, int64_t K, int64_t S) {
  const int64_t C = c.d_model;
  const double layer = 6 * product(B * T, C, C) + attention(B, T, K, C) + attention(B, T, S, C) +
                       2 * product(B * T, C, c.d_feedforward);
  return static_cast<double>(c.n_decoder_layers) * layer + product(B * T, C, c.target_vocab);
}
inline double forward(const c_scratch::Config& c, int64_t B, int64_t S, int64_t T) {
  return encoder(c, B, S) + cross_keys_values(c, B, S) + decoder(c, B, T, T, S);
}
inline double cached_decoding(const c_scratch::Config& c, int64_t B, int64_t S, int64_t tokens) {
  double sum = encoder(c, B, S) + cross_keys_values(c, B, S);
  for (int64_t t = 1; t <= tokens; ++t) sum += decoder(c, B, 1, t, S);
  return sum;
}

inline double forward(const char_gpt::Config& c, int64_t B, int64_t T) {
  const int64_t C = c.n_embd;
  const double block =
      4 * product(B * T, C, C) + attention(B, T, T, C) + 2 * product(B * T, C, 4 * C);
  return static_cast<double>(c.n_layer) * block + product(B * T, C, c.vocab_size);
}

inline double forward(const mlp::Config& c, int64_t N) {
  return product(N, c.hidden, c.in) + product(N, c.hidden, c.hidden) + product(N, c.out, c.hidden);
}

}  // namespace slope::tools::flops
