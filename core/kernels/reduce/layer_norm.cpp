#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/math.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/reduce/centre.h>
#include <slope/core/kernels/reduce/layer_norm.h>
#include <slope/core/kernels/reduce/squares.h>

namespace slope {
namespace {

template <class T>
T reciprocal_root(T x) {
  return static_cast<T>(1 / __builtin_sqrt(static_cast<double>(x)));
}

// 1 / sqrt(mean + eps), the mean of f(i)^2 over i in [0, n)
template <class T, class F>
[[gnu::always_inline]] inline T reciprocal_rms(int64_t n, T eps, const F& f) {
  const T share = T(1) / static_cast<T>(n),
          mean = share * sum_pieces<T>(n, [&](int64_t i) { return f(i) * f(i); }) + eps;
  if (in_range(mean)) return reciprocal_root(mean);
  const auto [sum, u] = scaled_squares<T>(n, f);
  if (u == 0) return reciprocal_root(mean);
  const double in_units = sum / static_cast<double>(n) + static_cast<double>(eps) / u / u;
  return static_cast<T>(1 / __builtin_sqrt(in_units) / u);
}

// y = w z + b with z already in y; w and b may be null.
template <class T>
void affine(int64_t n, const T* w, const T* b, T* y) {
  if (w && b) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = y[i] * w[i] + b[i];
  } else if (w) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] *= w[i];
  } else if (b) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] += b[i];
  }
}

// The mean, then the variance from the deviations.
template <class T>
void layer_norm(int64_t rows, int64_t n, T eps, const T* x, const T* w, const T* b, T* y, T* origin,
                T* offset, T* rstd) {
  const T share = T(1) / static_cast<T>(n);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    fetch(x + n, n);
    fetch_to_write(y + n, n);
    const T first = x[0];
    const Centre<T> c =
        centre_of(n, x, share * sum_pieces<T>(n, [&](int64_t i) { return x[i] - first; }));
    const T s = reciprocal_rms(n, eps, [&](int64_t i) { return c.deviation(x[i]); });
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = c.deviation(x[i]) * s;
    affine(n, w, b, y);
    origin[r] = c.origin;
    offset[r] = c.offset;
    rstd[r] = s;
  }
}

// With z = (x - mean) rstd and h = w g:
//   dx = rstd (h - mean(h) - z mean(h z))      dw += g z      db += g
// RMS norm: mean = 0, no mean(h).
template <class T, bool centred>
void backward(int64_t rows, int64_t n, const T* x, const T* w, const T* origin, const T* offset,
              const T* rstd, const T* g, T* dx, bool add, T* dw, T* db) {
  const T share = T(1) / static_cast<T>(n);
  for (int64_t r = 0; r < rows; ++r, x += n, g += n) {
    fetch(x + n, n);
    fetch(g + n, n);
    if (dx) fetch_to_write(dx + n, n);
    const Centre<T> c = centred ? Centre<T>{origin[r], offset[r]} : Centre<T>{0, 0};
    const T s = rstd[r];
    const auto z = [&](int64_t i) { return c.deviation(x[i]) * s; };
    const auto row = [&](auto h) {
      const T mean_h = centred ? share * sum_pieces<T>(n, h) : T(0);
      const T mean_hz = share * sum_pieces<T>(n, [&](int64_t i) { return h(i) * z(i); });
      const auto d = [&](int64_t i) { return s * (h(i) - mean_h - z(i) * mean_hz); };
      if (add)
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) dx[i] += d(i);
      else
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) dx[i] = d(i);
    };
    if (dx) {
      if (w)
        row([&](int64_t i) { return w[i] * g[i]; });
      else
        row([&](int64_t i) { return g[i]; });
      dx += n;
    }
    if (dw)
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) dw[i] += g[i] * z(i);
    if (db)
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) db[i] += g[i];
  }
}

// y = w x rstd, rstd = 1 / sqrt(mean(x^2) + eps)
template <class T>
void rms_norm(int64_t rows, int64_t n, T eps, const T* x, const T* w, T* y, T* rstd) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    fetch(x + n, n);
    fetch_to_write(y + n, n);
    const T s = rstd[r] = reciprocal_rms(n, eps, [&](int64_t i) { return x[i]; });
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * s;
    affine<T>(n, w, nullptr, y);
  }
}

template <class T>
void rms_norm_backward(int64_t rows, int64_t n, const T* x, const T* w, const T* rstd, const T* g,
                       T* dx, bool add, T* dw) {
  backward<T, false>(rows, n, x, w, nullptr, nullptr, rstd, g, dx, add, dw, nullptr);
}

}  // namespace

SLOPE_KERNELS(NormKernels, layer_norm<T>, backward<T, true>, rms_norm<T>, rms_norm_backward<T>)

}  // namespace slope
