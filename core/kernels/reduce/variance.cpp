#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/reduce/centre.h>
#include <slope/core/kernels/reduce/squares.h>
#include <slope/core/kernels/reduce/variance.h>

namespace slope {
namespace {

template <class T>
[[gnu::always_inline]] inline Centre<T> row_centre(int64_t n, const T* x) {
  const T first = x[0], sum = sum_lanes<T>(n, [&](int64_t i) { return x[i] - first; });
  return centre_of(n, x, T(1) / static_cast<T>(n) * sum);
}

template <class T, bool root>
void forward(int64_t rows, int64_t n, double divisor, const T* x, T* y) {
  for (int64_t r = 0; r < rows; ++r, x += n) {
    fetch(x + n, n);
    const Centre<T> c = row_centre(n, x);
    const auto d = [&](int64_t i) { return c.deviation(x[i]); };
    const T sum = sum_lanes<T>(n, [&](int64_t i) { return d(i) * d(i); });
    const double variance = static_cast<double>(sum) / divisor;
    y[r] = static_cast<T>(root ? __builtin_sqrt(variance) : variance);
    if (in_range(sum)) continue;
    const auto [scaled, unit] = scaled_squares<T>(n, d);
    if (unit == 0) continue;
    y[r] = static_cast<T>(root ? __builtin_sqrt(scaled / divisor) * unit
                               : scaled / divisor * unit * unit);
  }
}

// dx = c (x - mean x), where c = 2 g / divisor or, with root, g / (divisor * y); in double if a
// standard deviation is so small or large that c is out of T's range.
template <class T, bool root>
void backward(int64_t rows, int64_t n, double divisor, const T* x, const T* y, const T* g, T* dx,
              bool add) {
  for (int64_t r = 0; r < rows; ++r, x += n, dx += n) {
    fetch(x + n, n);
    fetch_to_write(dx + n, n);
    const Centre<T> centre = row_centre(n, x);
    const double gr = static_cast<double>(g[r]), yr = static_cast<double>(y[r]),
                 c = !root     ? 2 * gr / divisor
                     : yr == 0 ? 0
                               : gr / divisor / yr;
    const auto row = [&](auto d) {
      if (add)
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) dx[i] += d(i);
      else
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) dx[i] = d(i);
    };
    const double size = __builtin_fabs(c);
    if (!root || size == 0 ||
        (size >= static_cast<double>(std::numeric_limits<T>::min()) &&
         size <= static_cast<double>(std::numeric_limits<T>::max())))
      row([&, f = static_cast<T>(c)](int64_t i) { return centre.deviation(x[i]) * f; });
    else
      row([&](int64_t i) {
        return static_cast<T>(static_cast<double>(centre.deviation(x[i])) / yr * (gr / divisor));
      });
  }
}

}  // namespace

SLOPE_KERNELS(VarianceKernels, forward<T, false>, forward<T, true>, backward<T, false>,
              backward<T, true>)

}  // namespace slope
