#include <slope/core/tensor/factories.h>
#include <slope/nn/init.h>
#include <slope/nn/positions/positions.h>
#include <slope/nn/transformer/heads.h>
#include <slope/nn/transformer/sequences.h>

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

static Tensor bounded_sinusoids(int64_t positions, int64_t channels) {
  check_table("SinusoidalPositions", positions, channels);
  return sinusoids(positions, channels);
}
// For a table that is saved: a checkpoint's weights tell how large it may be.
static Tensor counted_sinusoids(int64_t positions, int64_t channels) {
  init::count_elements(numel({positions, channels}));
  return sinusoids(positions, channels);
}

SinusoidalPositions::SinusoidalPositions(int64_t positions, int64_t channels)
    : table(bounded_sinusoids(positions, channels), Saved::no) {}

Tensor SinusoidalPositions::forward(int64_t length, int64_t offset) const {
  check_positions(length, positions(), "SinusoidalPositions", offset);
  return table.narrow(0, offset, length);
}

static void check_longest(const Tensor& positions, int64_t max_len, const char* who) {
  const int64_t T = longest(positions);
  SLOPE_CHECK_INPUT(T <= max_len, "{}: a sentence of {} tokens exceeds max_len {}", who, T,
                    max_len);
}

PositionalEncoding::PositionalEncoding(int64_t positions, int64_t channels, double p)
    : pe(counted_sinusoids(positions, channels).unsqueeze(0)), dropout(p) {}

Tensor PositionalEncoding::forward(const Tensor& x, const Tensor& positions) const {
  check_longest(positions, pe.size(1), "PositionalEncoding");
  return dropout(x + embedding(positions, pe.select(0, 0)));
}

TransformerEmbedding::TransformerEmbedding(int64_t vocabulary, int64_t channels, int64_t positions,
                                           double p)
    : embed_tok(vocabulary, channels), embed_pos(positions, channels), dropout(p),
      scale(std::sqrt(static_cast<double>(channels))) {}

Tensor TransformerEmbedding::forward(const Tensor& tokens, const Tensor& positions) const {
  check_longest(positions, embed_pos.weight.size(0), "TransformerEmbedding");
  return dropout(embed_tok(tokens) * scale + embed_pos(positions));
}

}  // namespace slope::nn
