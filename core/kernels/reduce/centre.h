// The centre of a row, from which its elements deviate. Private to the kernels.
#pragma once

#include <slope/core/kernels/lanes.h>

#include <cstdint>
#include <limits>

namespace slope {
namespace {

// origin + offset is the mean: (0, mean), or the first element and how far the mean is from it.
template <class T>
struct Centre {
  T origin, offset;
  [[gnu::always_inline]] T deviation(T x) const { return (x - origin) - offset; }
};

// mean = x_0 + offset, offset = 1/n sum (x_i - x_0): exact for a constant row, however large. Where
// the elements are so near to each other that the rounding of the mean would show in their
// deviations, origin and offset stay apart.
template <class T>
[[gnu::always_inline]] inline Centre<T> centre_of(int64_t n, const T* x, T offset) {
  constexpr T tolerance = 64 * std::numeric_limits<T>::epsilon();
  const auto size = [](T v) { return v < 0 ? -v : v; };
  const T first = x[0], mean = first + offset, error = size(offset - (mean - first));
  const Centre<T> rounded{0, mean};
  if (error <= tolerance * size(offset)) return rounded;  // as for most rows
  // else x_0 may just be near the mean: the squares tell
  const double e = static_cast<double>(error / tolerance),
               squares = static_cast<double>(sum_lanes<T>(n, [&](int64_t i) {
                 return rounded.deviation(x[i]) * rounded.deviation(x[i]);
               }));
  return e * e * static_cast<double>(n) > squares ? Centre<T>{first, offset} : rounded;
}

}  // namespace
}  // namespace slope
