// Sums of squares that over- or underflow, in units of the largest element. Private to the kernels.
#pragma once

#include <cstdint>
#include <limits>

namespace slope {
namespace {

// Whether x, a sum of squares, has not overflowed and is so large that no underflow matters.
template <class T>
bool in_range(T x) {
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  return x >= least && x <= std::numeric_limits<T>::max();
}

// f(0)^2 + … + f(n - 1)^2 = sum * unit * unit, where unit is the largest |f(i)|. Both are 0 if unit
// would be 0, nan or infinite.
struct ScaledSquares {
  double sum = 0, unit = 0;
};
template <class T, class F>
ScaledSquares scaled_squares(int64_t n, const F& f) {
  double unit = 0, sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = __builtin_fabs(static_cast<double>(f(i)));
    unit = size > unit || size != size ? size : unit;
  }
  if (!(unit > 0 && unit <= static_cast<double>(std::numeric_limits<T>::max()))) return {};
  for (int64_t i = 0; i < n; ++i)
    sum += (static_cast<double>(f(i)) / unit) * (static_cast<double>(f(i)) / unit);
  return {sum, unit};
}

}  // namespace
}  // namespace slope
