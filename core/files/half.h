// Converts IEEE's 16-bit floats to float, which holds all of their values exactly. NaN keeps its
// payload.
#pragma once

#include <bit>
#include <cstdint>

namespace slope {

// IEEE binary16: sign 1, exponent 5 (bias 15), fraction 10.
inline float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1F,
                 fraction = bits & 0x3FF;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent - 15 + 127;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace slope
