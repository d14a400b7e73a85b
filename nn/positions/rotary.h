// Rotary positions: queries and keys are rotated by an angle that grows with their position, so
// that their product depends only on the distance (Su et al., "RoFormer", 2021):
//   (x_i, x_{i + D/2}) rotated by t theta^(-2i/D) at position t, i < D/2
// The halves are paired as in Hugging Face's Llama.
#pragma once

#include <slope/nn/module/module.h>

namespace slope::nn {

struct Rotation {
  Tensor cos, sin;  // (T, D), both halves equal
};
Tensor rotate(const Tensor& x, const Rotation& r);  // (…, T, D)

struct RotaryPositions {
  Buffer cos, sin;  // (positions, D), not saved: the constructor computes them
  double theta;

  // ShapeError unless D is even and above 0
  RotaryPositions(int64_t positions, int64_t D, double theta = 10000);
  // of positions first … first + length - 1; ShapeError if the tables have fewer rows
  Rotation at(int64_t first, int64_t length) const;

  RotaryPositions blank() const { return RotaryPositions(cos.size(0), cos.size(1), theta); }
  SLOPE_MODULE(RotaryPositions, cos, sin)
};

}  // namespace slope::nn
