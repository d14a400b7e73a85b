// bfloat16 is the upper half of a float: its sign, its exponent and 7 of its 23 fraction bits. A
// float is rounded to the nearest bfloat16, ties to even; widening is exact.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace slope {

struct BFloat16 {
  uint16_t bits;

  BFloat16() = default;
  template <class V>
  requires std::floating_point<V> || std::integral<V> BFloat16(V value)
      : bits(rounded(static_cast<float>(value))) {}  // implicit, like a conversion to float
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

  static BFloat16 of_bits(uint16_t bits) {
    BFloat16 x;
    x.bits = bits;
    return x;
  }

 private:
  // Adds half of the last kept place, or slightly less if the kept bits are even. A carry goes into
  // the exponent and, beyond the largest number, gives infinity. A nan stays a nan.
  static uint16_t rounded(float value) {
    const auto all = std::bit_cast<uint32_t>(value);
    if (value != value) return static_cast<uint16_t>(all >> 16 | 0x40);
    return static_cast<uint16_t>((all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
};

// For kernels, which take bfloat16 numbers as their bits.
inline const uint16_t* bits_of(const BFloat16* x) { return reinterpret_cast<const uint16_t*>(x); }
inline uint16_t* bits_of(BFloat16* x) { return reinterpret_cast<uint16_t*>(x); }

// A float rounded to bfloat16's precision.
inline float round_to_bf16(float value) { return BFloat16(value); }

}  // namespace slope
