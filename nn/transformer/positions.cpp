#include <slope/core/tensor/factories.h>
#include <slope/nn/transformer/heads.h>
#include <slope/nn/transformer/positions.h>

#include <cmath>

namespace slope::nn {

Tensor LearnedPositions::forward(int64_t length, int64_t offset) const {
  check_positions(length, positions(), "LearnedPositions", offset);
  return weight.narrow(0, offset, length);
}

static Tensor sinusoids(int64_t positions, int64_t channels) {
  std::vector<float> table;
  for (int64_t t = 0; t < positions; ++t)
    for (int64_t c = 0; c < channels; ++c) {
      const double angle =
          static_cast<double>(t) /
          std::pow(10000.0, static_cast<double>(c / 2 * 2) / static_cast<double>(channels));
      table.push_back(static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  return from_vector(table, {positions, channels});
}

SinusoidalPositions::SinusoidalPositions(int64_t positions, int64_t channels)
    : table(sinusoids(positions, channels), Saved::no) {}

Tensor SinusoidalPositions::forward(int64_t length, int64_t offset) const {
  check_positions(length, positions(), "SinusoidalPositions", offset);
  return table.narrow(0, offset, length);
}

}  // namespace slope::nn
