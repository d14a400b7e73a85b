// Floating-point operations of the matrix products in a model's forward pass; attention's are
// counted as if there were no masks.
//
// B batch · S source tokens · T target tokens · K tokens that a target token attends to · C
// channels · F feed-forward · V vocabulary
#pragma once

#include <cstdint>

namespace slope::tools::flops {

inline double product(int64_t m, int64_t n, int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n * k);
}
inline double attention(int64_t B, int64_t T, int64_t K, int64_t C) {
  return 2 * product(B * T, K, C);
}

struct EncoderDecoder {
  int64_t C = 256, F = 512, encoder_layers = 3, decoder_layers = 3;

  double encoder(int64_t B, int64_t S) const {
    return static_cast<double>(encoder_layers) *
           (4 * product(B * S, C, C) + attention(B, S, S, C) + 2 * product(B * S, C, F));
  }
  double cross_keys_values(int64_t B, int64_t S) const {
    return static_cast<double>(decoder_layers) * 2 * product(B * S, C, C);
  }
  double decoder(int64_t B, int64_t T, int64_t K, int64_t S, int64_t V) const {
    const double layer = 6 * product(B * T, C, C) + attention(B, T, K, C) + attention(B, T, S, C) +
                         2 * product(B * T, C, F);
    return static_cast<double>(decoder_layers) * layer + product(B * T, C, V);
  }
  double forward(int64_t B, int64_t S, int64_t T, int64_t V) const {
    return encoder(B, S) + cross_keys_values(B, S) + decoder(B, T, T, S, V);
  }
  double cached_decoding(int64_t B, int64_t S, int64_t tokens, int64_t V) const {
    double sum = encoder(B, S) + cross_keys_values(B, S);
    for (int64_t t = 1; t <= tokens; ++t) sum += decoder(B, 1, t, S, V);
    return sum;
  }
};

struct Decoder {
  int64_t C = 128, layers = 4;

  double forward(int64_t B, int64_t T, int64_t V) const {
    const double block =
        4 * product(B * T, C, C) + attention(B, T, T, C) + 2 * product(B * T, C, 4 * C);
    return static_cast<double>(layers) * block + product(B * T, C, V);
  }
};

inline double perceptron(int64_t N, int64_t in, int64_t hidden, int64_t out) {
  return product(N, hidden, in) + product(N, hidden, hidden) + product(N, out, hidden);
}

}  // namespace slope::tools::flops
