// Rows: one for each elementwise operation: its name, the function f of a number, and its
// derivative df, of the input or of the output. df is written once and serves two: the loops (T =
// float, double) and the tape's formula (T = Tensor, whose operations it finds by its argument). So
// the plain names below are the scalars' side of what autograd/ops.h declares for tensors.
#pragma once

#include <slope/core/kernels/math.h>
#include <slope/core/loops/modular.h>

#include <concepts>
#include <numbers>
#include <tuple>

namespace slope {
namespace {

template <class T>
concept Number = std::same_as<T, float> || std::same_as<T, double>;

// clang-format off
template <Number T> [[gnu::always_inline]] inline T exp(T x) { return exp_(x); }
template <class X>  // of tensors
[[gnu::always_inline]] inline auto exp_of_negative(const X& x) { return exp(x); }
template <Number T> [[gnu::always_inline]] inline T sin(T x) { return sin_(x); }
template <Number T> [[gnu::always_inline]] inline T cos(T x) { return cos_(x); }
template <Number T> [[gnu::always_inline]] inline T tanh(T x) { return tanh_(x); }
template <Number T> [[gnu::always_inline]] inline T erf(T x) { return erf_(x); }
template <Number T> [[gnu::always_inline]] inline T sigmoid(T x) { return sigmoid_(x); }
template <class T> requires std::is_arithmetic_v<T>
[[gnu::always_inline]] inline T sign(T x) { return T(x > 0) - T(x < 0); }
template <Number T>  // 1 where x > 0 (or nan), else 0
[[gnu::always_inline]] inline T positive(T x) { return x <= 0 ? T(0) : T(1); }
// clang-format on

// A fraction that takes the type of what it meets: 0.5 would turn a float into a double.
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

// clang-format off
struct OfInput { static constexpr bool of_output = false; };  // df is a function of x: the tape keeps x
struct OfOutput { static constexpr bool of_output = true; };  // df is a function of y: the tape keeps y
// clang-format on

#define SLOPE_ROW_INLINE [[gnu::always_inline]] static auto
struct Neg : OfInput {
  static constexpr auto name = "neg";
  SLOPE_ROW_INLINE f(auto x) { return static_cast<decltype(x)>(-modular(x)); }
  SLOPE_ROW_INLINE df(auto) { return -1; }
};
struct Abs : OfInput {
  static constexpr auto name = "abs";
  SLOPE_ROW_INLINE f(auto x) { return std::abs(x); }
  SLOPE_ROW_INLINE f(int64_t x) { return x < 0 ? Neg::f(x) : x; }
  SLOPE_ROW_INLINE df(auto x) { return sign(x); }
};
struct Sign : OfInput {
  static constexpr auto name = "sign";
  SLOPE_ROW_INLINE f(auto x) { return sign(x); }
  SLOPE_ROW_INLINE df(auto) { return 0; }
};
struct Exp : OfOutput {
  static constexpr auto name = "exp";
  SLOPE_ROW_INLINE f(auto x) { return exp_(x); }
  SLOPE_ROW_INLINE df(auto y) { return y; }
};
struct Expm1 : OfOutput {
  static constexpr auto name = "expm1";
  SLOPE_ROW_INLINE f(auto x) { return expm1_(x); }
  SLOPE_ROW_INLINE df(auto y) { return y + 1; }
};
struct Log : OfInput {
  static constexpr auto name = "log";
  SLOPE_ROW_INLINE f(auto x) { return log_(x); }
  SLOPE_ROW_INLINE df(auto x) { return 1 / x; }
};
struct Log1p : OfInput {
  static constexpr auto name = "log1p";
  SLOPE_ROW_INLINE f(auto x) { return log1p_(x); }
  SLOPE_ROW_INLINE df(auto x) { return 1 / (x + 1); }
};
struct Sqrt : OfOutput {
  static constexpr auto name = "sqrt";
  SLOPE_ROW_INLINE f(auto x) { return std::sqrt(x); }
  SLOPE_ROW_INLINE df(auto y) { return half / y; }
};
struct Rsqrt : OfOutput {
  static constexpr auto name = "rsqrt";
  SLOPE_ROW_INLINE f(auto x) { return 1 / std::sqrt(x); }
  SLOPE_ROW_INLINE df(auto y) { return -(half * (y * y * y)); }
};
struct Sin : OfInput {
  static constexpr auto name = "sin";
  SLOPE_ROW_INLINE f(auto x) { return sin_(x); }
  SLOPE_ROW_INLINE df(auto x) { return cos(x); }
};
struct Cos : OfInput {
  static constexpr auto name = "cos";
  SLOPE_ROW_INLINE f(auto x) { return cos_(x); }
  SLOPE_ROW_INLINE df(auto x) { return -sin(x); }
};
struct Tanh : OfOutput {
  static constexpr auto name = "tanh";
  SLOPE_ROW_INLINE f(auto x) { return tanh_(x); }
  SLOPE_ROW_INLINE df(auto y) { return 1 - y * y; }
};
struct Sigmoid : OfOutput {
  static constexpr auto name = "sigmoid";
  SLOPE_ROW_INLINE f(auto x) { return sigmoid_(x); }
  SLOPE_ROW_INLINE df(auto y) { return y * (1 - y); }
};
struct Relu : OfOutput {
  static constexpr auto name = "relu";
  SLOPE_ROW_INLINE f(auto x) { return x <= 0 ? decltype(x)(0) : x; }
  SLOPE_ROW_INLINE df(auto y) { return positive(y); }
};
struct Erf : OfInput {
  static constexpr auto name = "erf";
  SLOPE_ROW_INLINE f(auto x) { return erf_(x); }
  SLOPE_ROW_INLINE df(auto x) { return Constant{2 * std::numbers::inv_sqrtpi} * exp(-(x * x)); }
};
// Phi(x) = (1 + erf(x / sqrt 2)) / 2, phi = Phi'
[[gnu::always_inline]] inline auto normal_cdf(auto x) {
  return half * (1 + erf(Constant{std::numbers::sqrt2 / 2} * x));
}
[[gnu::always_inline]] inline auto normal_cdf(Number auto x) { return normal_cdf_(x); }
[[gnu::always_inline]] inline auto normal_pdf(auto x) {
  return Constant{std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2} *
         exp_of_negative(-(half * (x * x)));
}
struct Gelu_ : OfInput {
  static constexpr auto name = "gelu";
  SLOPE_ROW_INLINE f(auto x) { return x * normal_cdf(x); }
  SLOPE_ROW_INLINE df(auto x) { return normal_cdf(x) + x * normal_pdf(x); }
};
// t = tanh(k (x + c x^3))
constexpr Constant gelu_k{std::numbers::sqrt2 * std::numbers::inv_sqrtpi}, gelu_c{0.044715},
    gelu_3c{3 * 0.044715};
[[gnu::always_inline]] inline auto gelu_t(auto x) {
  return tanh(gelu_k * (x + gelu_c * (x * x * x)));
}
struct GeluTanh : OfInput {
  static constexpr auto name = "gelu_tanh";
  SLOPE_ROW_INLINE f(auto x) { return half * x * (1 + gelu_t(x)); }
  SLOPE_ROW_INLINE df(auto x) {
    auto t = gelu_t(x);
    return half * (1 + t) + half * x * (1 - t * t) * (gelu_k * (1 + gelu_3c * (x * x)));
  }
};
struct Silu : OfInput {
  static constexpr auto name = "silu";
  SLOPE_ROW_INLINE f(auto x) { return x * sigmoid(x); }
  SLOPE_ROW_INLINE df(auto x) {
    auto s = sigmoid(x);
    return s * (1 + x * (1 - s));
  }
};
struct Softplus : OfInput {
  static constexpr auto name = "softplus";
  SLOPE_ROW_INLINE f(auto x) { return (x <= 0 ? decltype(x)(0) : x) + log1p_(exp_(-std::abs(x))); }
  SLOPE_ROW_INLINE df(auto x) { return sigmoid(x); }
};

struct Add {
  SLOPE_ROW_INLINE f(auto a, auto b) { return static_cast<decltype(a)>(modular(a) + modular(b)); }
};
struct Sub {
  SLOPE_ROW_INLINE f(auto a, auto b) { return static_cast<decltype(a)>(modular(a) - modular(b)); }
};
struct Mul {
  SLOPE_ROW_INLINE f(auto a, auto b) { return static_cast<decltype(a)>(modular(a) * modular(b)); }
};
struct Div {
  SLOPE_ROW_INLINE f(auto a, auto b) { return a / b; }
};
struct Pow {
  SLOPE_ROW_INLINE f(auto a, auto b) { return std::pow(a, b); }
  // By squaring, modulo 2^64; what a negative power leaves of 1 and -1 is whole, of all others 0,
  // as in PyTorch.
  SLOPE_ROW_INLINE f(int64_t a, int64_t b) {
    if (b < 0 && a != 1 && a != -1) return int64_t{0};
    if (b < 0) b &= 1;  // their powers are those of b's parity
    uint64_t y = 1;
    for (auto square = modular(a); b > 0; b >>= 1, square *= square)
      if (b & 1) y *= square;
    return static_cast<int64_t>(y);
  }
};
struct Maximum {
  SLOPE_ROW_INLINE f(auto a, auto b) { return a > b || a != a ? a : b; }
};  // a nan wins
struct Minimum {
  SLOPE_ROW_INLINE f(auto a, auto b) { return a < b || a != a ? a : b; }
};
struct BceWithLogits {  // of a logit and its target
  SLOPE_ROW_INLINE f(auto x, auto t) { return (1 - t) * x + Softplus::f(-x); }
};
struct BceWithLogitsSlope {  // its derivative by the logit
  SLOPE_ROW_INLINE f(auto x, auto t) { return (1 - t) - sigmoid(-x); }
};
#undef SLOPE_ROW_INLINE

using UnaryRows = std::tuple<Neg, Abs, Sign, Exp, Expm1, Log, Log1p, Sqrt, Rsqrt, Sin, Cos, Tanh,
                             Sigmoid, Relu, Erf, Gelu_, GeluTanh, Silu, Softplus>;
using BinaryRows =
    std::tuple<Add, Sub, Mul, Div, Pow, Maximum, Minimum, BceWithLogits, BceWithLogitsSlope>;

template <class Row, class... Rows>
constexpr size_t position(std::tuple<Rows...>*) {
  size_t at = 0;
  (void)((std::same_as<Row, Rows> || (++at, false)) || ...);
  return at;
}
template <class Row>
constexpr size_t unary_index = position<Row>(static_cast<UnaryRows*>(nullptr));
template <class Row>
constexpr size_t binary_index = position<Row>(static_cast<BinaryRows*>(nullptr));

}  // namespace
}  // namespace slope
