// What the rows of elementwise operations call: the functions of autograd/ops.h for numbers, under
// the same names, and what is too long for a row. The derivatives (…_slope), and the functions that
// they call, take numbers and tensors.
#pragma once

#include <slope/core/kernels/math.h>
#include <slope/core/loops/modular.h>

#include <concepts>
#include <numbers>

namespace slope {
namespace {

template <class T>
concept Number = std::same_as<T, float> || std::same_as<T, double>;

#define SLOPE_INLINE [[gnu::always_inline]] inline

// clang-format off
template <Number T> SLOPE_INLINE T abs(T x) { return std::abs(x); }
template <Number T> SLOPE_INLINE T sqrt(T x) { return std::sqrt(x); }
template <Number T> SLOPE_INLINE T log(T x) { return log_(x); }
template <Number T> SLOPE_INLINE T exp(T x) { return exp_(x); }
template <class X> SLOPE_INLINE auto exp_of_negative(const X& x) { return exp(x); }  // for tensors
template <Number T> SLOPE_INLINE T sin(T x) { return sin_(x); }
template <Number T> SLOPE_INLINE T cos(T x) { return cos_(x); }
template <Number T> SLOPE_INLINE T sigmoid(T x) { return sigmoid_(x); }
template <class T> requires std::is_arithmetic_v<T>
SLOPE_INLINE T sign(T x) { return T(x > 0) - T(x < 0); }
template <Number T> SLOPE_INLINE T positive(T x) { return x <= 0 ? T(0) : T(1); }  // nan: 1
// clang-format on

SLOPE_INLINE auto negative(auto x) { return static_cast<decltype(x)>(-modular(x)); }
SLOPE_INLINE auto absolute(Number auto x) { return std::abs(x); }
SLOPE_INLINE int64_t absolute(int64_t x) { return x < 0 ? negative(x) : x; }

// x clamped to a range beyond which functions keep their limit values, so that inf is not
// multiplied by 0.
template <Number T>
SLOPE_INLINE T not_below(T x) {
  return x < T(-1e4) ? T(-1e4) : x;
}
template <Number T>
SLOPE_INLINE T bounded(T x) {
  return x > T(1e4) ? T(1e4) : not_below(x);
}

// A constant that takes the type of its other operand: 0.5 would turn a float into a double.
struct Constant {
  double value;
  template <class X>
  [[gnu::always_inline]] friend auto operator*(Constant c, const X& x) {
    if constexpr (Number<X>)
      return static_cast<X>(c.value) * x;
    else
      return c.value * x;
  }
  template <class X>
  [[gnu::always_inline]] friend auto operator/(Constant c, const X& x) {
    if constexpr (Number<X>)
      return static_cast<X>(c.value) / x;
    else
      return c.value / x;
  }
};
constexpr Constant half{0.5};

// Phi(x) = (1 + erf(x / sqrt 2)) / 2, phi = Phi'
SLOPE_INLINE auto normal_cdf(Number auto x) { return normal_cdf_(x); }
SLOPE_INLINE auto normal_pdf(auto x) {
  return Constant{std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2} *
         exp_of_negative(-(half * (x * x)));
}
SLOPE_INLINE auto gelu_slope(auto x) { return normal_cdf(x) + x * normal_pdf(x); }

// logistic(x) is sigmoid(x), and complement(s, x) is 1 - s for s = logistic(x). Numbers need no
// more: their 1 - s is only added to a 1. For tensors (unary.cpp) the second is logistic(-x), and
// both keep their digits on either side of 0, because second derivatives are made of them.
template <Number T>
SLOPE_INLINE T logistic(T x) {
  return sigmoid(x);
}
template <Number T>
SLOPE_INLINE T complement(T s, T) {
  return 1 - s;
}
SLOPE_INLINE auto silu_slope(auto x) {
  auto s = logistic(x);
  return s * (1 + x * complement(s, x));
}

// u = 2 k (x + c x^3): (1 + tanh(u / 2)) / 2 = s(u), in which nothing cancels
constexpr Constant gelu_2k{2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi}, gelu_c{0.044715},
    gelu_3c{3 * 0.044715};
SLOPE_INLINE auto gelu_argument(auto x) { return gelu_2k * (x + gelu_c * (x * x * x)); }
SLOPE_INLINE auto gelu_tanh_slope(auto x) {
  auto u = gelu_argument(x), s = logistic(u);
  return s * (1 + x * complement(s, u) * (gelu_2k * (1 + gelu_3c * (x * x))));
}

SLOPE_INLINE auto softplus_(auto x) {
  return (x <= 0 ? decltype(x)(0) : x) + log1p_(exp_(-std::abs(x)));
}

// w x, and 0 where w is 0, even for an infinite x.
SLOPE_INLINE auto weighted(auto w, auto x) { return w == 0 ? decltype(x)(0) : w * x; }

// a^b by squaring, modulo 2^64. Negative powers of 1 and -1 are 1 or -1; those of other integers
// are 0, as in PyTorch.
SLOPE_INLINE int64_t power(int64_t a, int64_t b) {
  if (b < 0 && a != 1 && a != -1) return int64_t{0};
  if (b < 0) b &= 1;  // only the parity of b matters
  uint64_t y = 1;
  for (auto square = modular(a); b > 0; b >>= 1, square *= square)
    if (b & 1) y *= square;
  return static_cast<int64_t>(y);
}
SLOPE_INLINE auto power(Number auto a, Number auto b) { return std::pow(a, b); }
#undef SLOPE_INLINE

}  // namespace
}  // namespace slope
