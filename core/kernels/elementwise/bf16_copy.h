// Conversions between f32 numbers and bf16 numbers, the latter as their bits.
#pragma once

#include <cstdint>

namespace slope {

struct Bf16Copy {
  void (*round)(int64_t n, const float* from, uint16_t* to);  // to nearest, ties to even
  void (*widen)(int64_t n, const uint16_t* from, float* to);
};

}  // namespace slope
