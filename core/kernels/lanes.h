// Sums in a fixed number of lanes: element i goes to lane i % 16, the lanes are added in a fixed tree. The compiler turns the lanes into vectors
// of any width; the result is the same for each.
#pragma once

#include <cstdint>

namespace slope {
namespace {

// Sum over i in [0, n) of f(i).
template <class T, class F>
[[gnu::always_inline]] inline T sum_lanes(int64_t n, F f) {
  constexpr int lanes = 16;
  T sum[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (int l = 0; l < lanes; ++l) sum[l] += f(i + l);
  for (int l = 0; i + l < n; ++l) sum[l] += f(i + l);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) sum[l] += sum[l + width];
  return sum[0];
}

// Largest of f(i), or `least` where n is 0. A nan among the values is returned.
template <class T, class F>
[[gnu::always_inline]] inline T max_lanes(int64_t n, T least, F f) {
  constexpr int lanes = 16;
  T best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = least;
  const auto larger = [](T a, T b) { return a > b || a != a ? a : b; };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (int l = 0; l < lanes; ++l) best[l] = larger(best[l], f(i + l));
  for (int l = 0; i + l < n; ++l) best[l] = larger(best[l], f(i + l));
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) best[l] = larger(best[l], best[l + width]);
  return best[0];
}

}  // namespace
}  // namespace slope
