// A vector for each position of a sequence, to be added to the embeddings: learned, or the
// sinusoids of Vaswani et al. (2017, 3.5):
//   PE(t, 2i) = sin(t / 10000^(2i/C))     PE(t, 2i+1) = cos(t / 10000^(2i/C))
// forward(length, offset) gives rows offset … offset + length - 1; ShapeError where the sequence is
// longer than there are positions.
#pragma once

#include <slope/nn/init.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

// Printed and saved like the torch.nn.Embedding that PyTorch code uses here.
struct LearnedPositions {
  Parameter weight;  // (positions, C)

  LearnedPositions(int64_t positions, int64_t channels) : weight(Dims{positions, channels}) {
    init::normal(weight);
    module_state.printed_type = "Embedding";
  }
  Tensor forward(int64_t length, int64_t offset = 0) const;  // (length, C)
  int64_t positions() const { return weight.size(0); }

  std::string extra_repr() const { return fmt::format("{}, {}", weight.size(0), weight.size(1)); }
  LearnedPositions blank() const { return LearnedPositions(weight.size(0), weight.size(1)); }
  SLOPE_MODULE(LearnedPositions, weight)
};

struct SinusoidalPositions {
  Buffer table;  // (positions, C), not saved: it is a formula

  SinusoidalPositions(int64_t positions, int64_t channels);
  Tensor forward(int64_t length, int64_t offset = 0) const;  // (length, C)
  int64_t positions() const { return table.size(0); }

  std::string extra_repr() const { return fmt::format("{}, {}", table.size(0), table.size(1)); }
  SinusoidalPositions blank() const { return SinusoidalPositions(table.size(0), table.size(1)); }
  SLOPE_MODULE(SinusoidalPositions, table)
};

}  // namespace slope::nn
