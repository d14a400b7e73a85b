// Small models of the zoo with fixed inputs, and comparisons: of bits, and of largest differences.
#pragma once

#include <slope/core/loops/copy.h>
#include <slope/models/char_gpt.h>
#include <slope/models/data/two_moons.h>
#include <slope/models/mlp.h>
#include <slope/models/postnorm.h>
#include <slope/tests/autograd/same_bits.h>

#include <cmath>

namespace slope::test {

// (rows, columns) ids: row i has lengths[i] tokens in [4, vocabulary), then pads (0).
inline Tensor sentences(const std::vector<int64_t>& lengths, int64_t columns, int64_t vocabulary) {
  std::vector<int64_t> ids;
  for (size_t i = 0; i < lengths.size(); ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t k = static_cast<int64_t>(i) + 1;
      ids.push_back(j < lengths[i] ? 4 + (7 * k * k + 5 * j + 3 * k * j) % (vocabulary - 4) : 0);
    }
  return from_vector(ids, {static_cast<int64_t>(lengths.size()), columns});
}

inline Tensor with_columns(const Tensor& ids, int64_t more) { return pad(ids, {0, more}, 0); }

inline postnorm::PostNormTransformer small_postnorm(double dropout, DType dtype = f64,
                                                    uint64_t seed = 1,
                                                    bool tie_embeddings = false) {
  manual_seed(seed);
  postnorm::PostNormTransformer model({.source_vocab = 31,
                                       .target_vocab = 37,
                                       .d_model = 16,
                                       .n_heads = 4,
                                       .n_encoder_layers = 2,
                                       .n_decoder_layers = 2,
                                       .d_feedforward = 24,
                                       .dropout = dropout,
                                       .max_len = 20,
                                       .tie_embeddings = tie_embeddings});
  nn::to(model, dtype);
  return model;
}
inline char_gpt::CharGpt small_char_gpt(double dropout, DType dtype = f64, uint64_t seed = 2) {
  manual_seed(seed);
  auto model = nn::init::make<char_gpt::CharGpt>({.vocab_size = 29,
                                                  .block_size = 12,
                                                  .n_layer = 2,
                                                  .n_head = 2,
                                                  .n_embd = 16,
                                                  .dropout = dropout});
  nn::to(model, dtype);
  return model;
}

inline double largest(const Tensor& x) {
  double found = 0;
  for (const double v : x.to_vector())
    found = std::isfinite(v) ? std::max(found, std::abs(v)) : INFINITY;
  return found;
}
inline double difference(const Tensor& a, const Tensor& b) {
  return largest(a.detach() - b.detach());
}

inline Tensors gradients(nn::ModuleRef model, const Tensor& loss) {
  nn::zero_grad(model);
  loss.backward();
  Tensors grads;
  for (const Tensor& p : nn::parameters(model)) grads.push_back(contiguous_copy(p.grad()));
  nn::zero_grad(model);
  return grads;
}

}  // namespace slope::test
