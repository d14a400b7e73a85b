// Xavier's small embeddings are added to sinusoids of size 1 without the factor sqrt(C): positions
// drown out the tokens.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::unscaled_embedding {

inline Showing show() {
  constexpr int64_t words = 1000, channels = 64;
  manual_seed(1);
  const nn::Embedding table(words, channels);
  nn::init::xavier_uniform(table.weight);
  const nn::SinusoidalPositions positions(40, channels);
  const double of_positions = slope::std(positions(40)).item();
  const auto ratio = [&](double scale) {
    return slope::std(table.weight.detach() * scale).item() / of_positions;
  };
  return {
      {{"standard deviation of tokens / of positions", ratio(1), ratio(std::sqrt(1.0 * channels))}},
      {},
      {}};
}

}  // namespace slope::museum::unscaled_embedding
