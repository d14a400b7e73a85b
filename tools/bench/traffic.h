// The least memory traffic of a step, for rooflines: weights, gradients and optimizer state, or an
// operation's tensors, come from memory; everything else is assumed to stay in the cache.
#pragma once

#include <slope/models/run/train_settings.h>

namespace slope::tools::traffic {

constexpr double element = sizeof(float);

// Each weight is read in forward and backward; its gradient is written, read for the norm if it is
// clipped, and read by the optimizer, which reads and writes the weight and its state.
inline double training(const train::TrainSettings& t, int64_t parameters) {
  const double state = t.optimizer == "sgd" ? (t.momentum > 0 ? 2 : 0) : 4,
               passes = 2 + 1 + (t.clip > 0 ? 1 : 0) + 1 + 2 + state;
  return element * passes * static_cast<double>(parameters);
}

// All sentences are decoded together, with one pass over the decoder's weights for each position.
// `tokens`: new tokens of one sentence.
inline double decoding(int64_t decoder_bytes, int64_t tokens) {
  return static_cast<double>(decoder_bytes * tokens);
}

// `passes` over a tensor of n elements.
inline double operation(double passes, int64_t n) {
  return element * passes * static_cast<double>(n);
}

}  // namespace slope::tools::traffic
