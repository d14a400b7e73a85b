// Elementary functions that loops may inline: one polynomial for the vector body and the scalar tail, so that a value never depends on its
// position. The float versions are ours (errors measured in tests/core/math_test.cpp); double goes to the C library. All have internal linkage.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace slope {
namespace {

// a b + c: fused where the instruction set has it; the same in body and tail either way (-ffp-contract=off).
[[gnu::always_inline]] inline float fma_(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// e^x = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2; e^r by a polynomial of degree 6 (minimax). 2^n is applied in two steps, so that
// results down to the smallest denormal come out right; beyond the range: 0 and inf; nan stays nan.
[[gnu::always_inline]] inline float exp_(float x) {
  const float clamped = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;  // a nan fails both and passes through
  const float shifted = fma_(clamped, 1.44269504088896341f, 12582912.0f);  // 1.5 * 2^23: the integer n lands in the low bits
  const float n = shifted - 12582912.0f;
  const float r = fma_(n, -1.42860677e-6f, fma_(n, -0.693145752f, clamped));
  float p = 1.3814816e-3f;
  p = fma_(p, r, 8.3751306e-3f);
  p = fma_(p, r, 4.1669026e-2f);
  p = fma_(p, r, 1.6666529e-1f);
  p = fma_(p, r, 4.9999994e-1f);
  p = fma_(p, r, 1.0f);
  p = fma_(p, r, 1.0f);
  const int32_t i = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(12582912.0f);
  const int32_t half = i >> 1;
  const float a = std::bit_cast<float>((half + 127) << 23), b = std::bit_cast<float>((i - half + 127) << 23);
  return p * a * b;
}
[[gnu::always_inline]] inline double exp_(double x) { return std::exp(x); }

template <class T> [[gnu::always_inline]] inline T expm1_(T x) { return std::expm1(x); }
template <class T> [[gnu::always_inline]] inline T log_(T x) { return std::log(x); }
template <class T> [[gnu::always_inline]] inline T log1p_(T x) { return std::log1p(x); }
template <class T> [[gnu::always_inline]] inline T sin_(T x) { return std::sin(x); }
template <class T> [[gnu::always_inline]] inline T cos_(T x) { return std::cos(x); }
template <class T> [[gnu::always_inline]] inline T tanh_(T x) { return std::tanh(x); }
template <class T> [[gnu::always_inline]] inline T erf_(T x) { return std::erf(x); }
template <class T> [[gnu::always_inline]] inline T sigmoid_(T x) { return T(1) / (T(1) + exp_(-x)); }

}  // namespace
}  // namespace slope
