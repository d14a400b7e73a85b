// Products of many numbers: plain ones, and ones that neither over- nor underflow on the way.
// Private to autograd/ops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace slope {

// A product kept as m * 2^exponent, so that it neither over- nor underflows on the way.
struct ScaledProduct {
  double m = 1;
  int64_t exponent = 0;
  void times(double x) {
    if (const double plain = m * x;
        std::abs(plain) > 0x1p-400 && std::abs(plain) < 0x1p400) {  // as nearly always
      m = plain;
      return;
    }
    int of_x = 0, of_m = 0;
    m = std::frexp(m * std::frexp(x, &of_x), &of_m);  // x may be denormal
    exponent += of_x + of_m;
  }
  ScaledProduct with(const ScaledProduct& b) const { return {m * b.m, exponent + b.exponent}; }
  ScaledProduct plus(const ScaledProduct& b) const {
    if (exponent == b.exponent) return {m + b.m, exponent};
    if (m == 0 || b.m == 0) return m == 0 ? b : *this;
    const int64_t larger = std::max(exponent, b.exponent);
    return {scaled(m, exponent - larger) + scaled(b.m, b.exponent - larger), larger};
  }
  double value() const { return scaled(m, exponent); }

 private:
  static double scaled(double m, int64_t exponent) {
    if (exponent == 0) return m;  // as nearly always; ldexp is a call
    return std::ldexp(m, static_cast<int>(std::clamp<int64_t>(exponent, -5000, 5000)));
  }
};

// A plain product, and the smallest and largest magnitude that it had on the way, zeros left out.
template <class T>
struct PlainProduct {
  T value = 1, size = 1, least = 1, most = 1;
  void times(T x) {
    value *= x;
    size *= x == 0 ? T{1} : std::abs(x);
    least = std::min(least, size);
    most = std::max(most, size);
  }
  bool keeps_digits() const {
    return least >= std::numeric_limits<T>::min() && most <= std::numeric_limits<T>::max();
  }
};

// The product of x_j + h g_j for a small h: its value, and its derivative with respect to h.
struct DirectedProduct {
  ScaledProduct value, slope{.m = 0};
  void times(double x, double g) {
    ScaledProduct of_value = value;
    slope.times(x);
    of_value.times(g);
    slope = slope.plus(of_value);
    value.times(x);
  }
};

}  // namespace slope
