// Elementary functions that loops may inline: one polynomial for the vector body and the scalar
// tail, so that a value never depends on its position. The float versions are slope's own (errors
// measured in tests/core/math_test.cpp); double uses the C library. All have internal linkage.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace slope {
namespace {

// a b + c: fused where the instruction set has it; the same in body and tail in either case
// (-ffp-contract=off).
template <class T>
[[gnu::always_inline]] inline T fma_(T a, T b, T c) {
#if defined(__FMA__)
  return std::fma(a, b, c);  // one instruction
#else
  return a * b + c;
#endif
}

// p_0 x^n + p_1 x^(n - 1) + … + p_n
template <class... P>
[[gnu::always_inline]] inline float polynomial(float x, float first, P... next) {
  float sum = first;
  ((sum = fma_(sum, x, next)), ...);
  return sum;
}

[[gnu::always_inline]] inline float with_sign_of(float magnitude, float sign) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) |
                              (std::bit_cast<uint32_t>(sign) & 0x80000000u));
}
[[gnu::always_inline]] inline float power_of_two(int32_t n) {
  return std::bit_cast<float>((n + 127) << 23);
}  // -126 <= n <= 127

// x = n ln 2 + r with |r| <= ln 2 / 2. x is clamped to [least, 89]; a nan stays a nan in r.
struct Reduced {
  float r;
  int32_t n;
};
[[gnu::always_inline]] inline Reduced reduce_by_ln2(float x, float least) {
  // a nan fails both comparisons
  const float below = x > 89.0f ? 89.0f : x, clamped = below < least ? least : below;
  // adds 1.5 * 2^23, which leaves the rounded quotient, the integer n, in the low bits
  const float shifted = fma_(clamped, 1.44269504088896341f, 12582912.0f);
  const float n = shifted - 12582912.0f;
  return {fma_(n, -1.42860677e-6f, fma_(n, -0.693145752f, clamped)),
          std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(12582912.0f)};
}
// (e^r - 1 - r) / r^2, minimax
[[gnu::always_inline]] inline float exp_tail(float r) {
  return polynomial(r, 1.38144694e-3f, 8.36878034e-3f, 4.16683942e-2f, 1.66665201e-1f,
                    4.99999934e-1f);
}

// e^x = 2^n e^r. 2^n is applied in two steps, so that results down to the smallest denormal are
// right.
[[gnu::always_inline]] inline float exp_(float x) {
  const auto [r, n] = reduce_by_ln2(x, -104.0f);
  const float p = fma_(fma_(exp_tail(r), r, 1.0f), r, 1.0f);
  const int32_t half = n >> 1;
  return p * power_of_two(half) * power_of_two(n - half);
}

// e^x for x <= 0, with 0 for results below e^-87: half the cost of exp_
[[gnu::always_inline]] inline float exp_of_negative(float x) {
  const float shifted = fma_(x, 1.44269504088896341f, 12582912.0f), n = shifted - 12582912.0f;
  const float r = fma_(n, -1.42860677e-6f, fma_(n, -0.693145752f, x)),
              p = fma_(fma_(exp_tail(r), r, 1.0f), r, 1.0f);
  const float two_to_n = std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) << 23) +
                                              std::bit_cast<uint32_t>(1.0f));
  const float y = p * two_to_n;
  return x < -87.0f ? 0.0f : y;
}

// e^x - 1 = 2 (s m + s - 1/2), m = e^r - 1, s = 2^(n-1); m if n = 0
[[gnu::always_inline]] inline float expm1_(float x) {
  const auto [r, n] = reduce_by_ln2(x, -20.0f);
  const float m = fma_(exp_tail(r) * r, r, r), s = power_of_two(n - 1);
  const float y = 2.0f * fma_(s, m, s - 0.5f);
  return x == 0.0f ? x : y;  // keeps the sign of -0
}

// x = 2^e (1 + f) with 1 + f in [sqrt 1/2, sqrt 2):
//   log x = e ln 2 + f - f^2 / 2 + f^3 p(f), p minimax
[[gnu::always_inline]] inline float log_(float x) {
  const bool tiny = x < 1.17549435e-38f;  // denormals are scaled by 2^25
  const float scaled = tiny ? x * 33554432.0f : x;
  // unsigned: the bits of a negative x make the difference wrap around
  const uint32_t bits = std::bit_cast<uint32_t>(scaled);
  const int32_t i = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;
  const float e = static_cast<float>(i - (tiny ? 25 : 0)),
              f = std::bit_cast<float>(bits - (static_cast<uint32_t>(i) << 23)) - 1.0f;
  const float p =
      polynomial(f, 6.74663401e-2f, -1.16756455e-1f, 1.18881617e-1f, -1.24055899e-1f,
                 1.42195526e-1f, -1.66679958e-1f, 2.00021186e-1f, -2.50000096e-1f, 3.33333126e-1f);
  const float tail = fma_(e, -2.12194440e-4f, p * f * f * f) - 0.5f * f * f;
  const float y = fma_(e, 0.693359375f, f + tail);
  const float inf = std::numeric_limits<float>::infinity();
  return x > 0.0f ? (x < inf ? y : x) : x == 0.0f ? -inf : std::numeric_limits<float>::quiet_NaN();
}

// u = 1 + x is rounded; (x - (u - 1)) / u is what log u misses.
[[gnu::always_inline]] inline float log1p_(float x) {
  const float u = 1.0f + x, missed = (x - (u - 1.0f)) / u;
  const float y =
      log_(u) + (u > 0.0f && u < std::numeric_limits<float>::infinity() ? missed : 0.0f);
  return x == 0.0f ? x : y;  // keeps the sign of -0
}

// |x| < 0.625: x + x^3 p(x^2); else with e = exp(-2 |x|), 1 - 2 e / (1 + e). Both with the sign of
// x, which the first would lose for -0.
[[gnu::always_inline]] inline float tanh_(float x) {
  const float a = x < 0.0f ? -x : x, z = x * x;
  const float p = polynomial(z, -5.71704552e-3f, 2.06505878e-2f, -5.37434982e-2f, 1.33314913e-1f,
                             -3.33332839e-1f);
  const float e = exp_of_negative(-2.0f * a), small = fma_(p * z, x, x),
              large = 1.0f - 2.0f * e / (1.0f + e);
  return with_sign_of(a < 0.625f ? small : large, x);
}

// |x| < 0.9: x + x p(x^2); else 1 - e^q(|x|) with the sign of x,
// q(x) = log erfc x; from 3.95 on, erf rounds to 1.
[[gnu::always_inline]] inline float erf_(float x) {
  const float a = __builtin_fabsf(x), z = x * x, c = a > 3.95f ? 3.95f : a;
  const float p = polynomial(z, -6.09036039e-4f, 5.01196290e-3f, -2.67789090e-2f, 1.12821408e-1f,
                             -3.76125233e-1f, 1.28379150e-1f);
  const float q = polynomial(c, -2.05310924e-5f, 4.27990602e-4f, -4.13996640e-3f, 2.50383032e-2f,
                             -1.08155924e-1f, -6.33458475e-1f, -1.12946040f, 1.63489625e-4f);
  const float small = fma_(x, p, x), large = with_sign_of(1.0f - exp_(q), x);
  return a < 0.9f ? small : large;
}

// Rare, so computed in double.
[[gnu::always_inline]] inline float sin_(float x) {
  return static_cast<float>(std::sin(static_cast<double>(x)));
}
[[gnu::always_inline]] inline float cos_(float x) {
  return static_cast<float>(std::cos(static_cast<double>(x)));
}

[[gnu::always_inline]] inline double exp_(double x) { return std::exp(x); }
[[gnu::always_inline]] inline double expm1_(double x) { return std::expm1(x); }
[[gnu::always_inline]] inline double log_(double x) { return std::log(x); }
[[gnu::always_inline]] inline double log1p_(double x) { return std::log1p(x); }
[[gnu::always_inline]] inline double sin_(double x) { return std::sin(x); }
[[gnu::always_inline]] inline double cos_(double x) { return std::cos(x); }
[[gnu::always_inline]] inline double tanh_(double x) { return std::tanh(x); }
[[gnu::always_inline]] inline double erf_(double x) { return std::erf(x); }
[[gnu::always_inline]] inline double exp_of_negative(double x) { return exp_(x); }

// The standard normal distribution function. With t = 1 / (1 + 0.32 |x|), its value at -|x|
// is e^(-x^2 / 2) t p(t); p is minimax for the relative error.
[[gnu::always_inline]] inline float normal_cdf_(float x) {
  const float t = 1.0f / fma_(__builtin_fabsf(x), 0.32f, 1.0f);
  const float p = polynomial(t, -2.18167026e-02f, 9.87023637e-02f, -1.52821347e-01f,
                             7.14243799e-02f, -1.28980028e-02f, 5.98336756e-02f, 8.76127109e-02f,
                             1.14640936e-01f, 1.27660468e-01f, 1.27661526e-01f);
  const float tail = p * t * exp_of_negative(-0.5f * (x * x));
  return x < 0.0f ? tail : 1.0f - tail;
}
[[gnu::always_inline]] inline double normal_cdf_(double x) {
  return 0.5 * std::erfc(x * (-1 / std::numbers::sqrt2));
}

template <class T>
[[gnu::always_inline]] inline T sigmoid_(T x) {
  return T(1) / (T(1) + exp_(-x));
}

}  // namespace
}  // namespace slope
