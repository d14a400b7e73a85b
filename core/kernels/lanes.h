// Sums in a fixed number of lanes: element i goes to lane i % 16, the lanes are added in a fixed
// tree. The compiler turns the lanes into vectors of any width; the result is the same for each.
#pragma once

#include <slope/core/kernels/vectors.h>

#include <limits>

namespace slope {
namespace {

// Sum over i in [0, n) of f(i).
template <class T, class F>
[[gnu::always_inline]] inline T sum_lanes(int64_t n, F f) {
  constexpr int lanes = 16;
  T sum[lanes];
  int64_t i = 0;
  if (n >= lanes) {
    // does not start from stored zeros: loading them would wait for their narrower stores
#pragma omp simd
    for (int l = 0; l < lanes; ++l) sum[l] = T(0) + f(l);
    i = lanes;
  } else {
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
  }
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (int l = 0; l < lanes; ++l) sum[l] += f(i + l);
  for (int l = 0; i + l < n; ++l) sum[l] += f(i + l);
  return fold_lanes(sum, [](auto a, auto b) { return a + b; });
}

// The same for a row that may be long: the sums of pieces are added in double, because in float a
// lane of many equal addends drifts.
template <class T, class F>
[[gnu::always_inline]] inline T sum_pieces(int64_t n, F f) {
  constexpr int64_t piece = 1 << 10;
  if (n <= piece) return sum_lanes<T>(n, f);
  double sum = 0;
  for (int64_t at = 0; at < n; at += piece) {
    const auto from_at = [&](int64_t i) __attribute__((always_inline)) { return f(at + i); };
    sum += static_cast<double>(sum_lanes<T>(n - at < piece ? n - at : piece, from_at));
  }
  return static_cast<T>(sum);
}

// Largest of `least` and f(i) for i in [first, n). Returns a nan if one is among the values.
template <int lanes, class T, class F>
[[gnu::always_inline]] inline T max_from(int64_t first, int64_t n, T least, F f) {
  T best[lanes];
#pragma omp simd
  for (int l = 0; l < lanes; ++l) best[l] = least;
  const auto larger = [](auto a, auto b) { return ((a > b) | (a != a)) ? a : b; };
  int64_t i = first;
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (int l = 0; l < lanes; ++l) best[l] = larger(best[l], f(i + l));
  for (int l = 0; i + l < n; ++l) best[l] = larger(best[l], f(i + l));
  return fold_lanes(best, larger);
}

// The same for i in [0, n). A maximum does not depend on the lanes; a long row uses four times as
// many, because each comparison waits for the previous one.
template <class T, class F>
[[gnu::always_inline]] inline T max_lanes(int64_t n, T least, F f) {
  const int64_t wide = n < 256 ? 0 : n / 64 * 64;
  if (wide > 0) least = max_from<64>(0, wide, least, f);
  return max_from<16>(wide, n, least, f);
}

template <class T>
[[gnu::always_inline]] inline T row_max(int64_t n, const T* x) {
  return max_lanes<T>(n, -std::numeric_limits<T>::infinity(), [&](int64_t i) { return x[i]; });
}

}  // namespace
}  // namespace slope
