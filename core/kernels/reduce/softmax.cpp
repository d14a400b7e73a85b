// The maximum is subtracted first, so nothing overflows; a row of -inf gives nan (-inf - -inf), as
// in PyTorch.
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/math.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/reduce/softmax.h>

namespace slope {
namespace {

// y_i = exp(x_i - m) / sum_j exp(x_j - m)
template <class T>
void softmax(int64_t rows, int64_t n, const T* x, T* y) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    fetch(x + n, n);
    fetch_to_write(y + n, n);
    const T m = row_max(n, x);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = exp_of_negative(x[i] - m);
    const T inverse = 1 / sum_pieces<T>(n, [&](int64_t i) { return y[i]; });
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] *= inverse;
  }
}

// dx = y (g - <g, y>)
template <class T>
void softmax_backward(int64_t rows, int64_t n, const T* y, const T* g, T* dx) {
  for (int64_t r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    fetch(y + n, n);
    fetch(g + n, n);
    fetch_to_write(dx + n, n);
    const T dot = sum_pieces<T>(n, [&](int64_t i) { return g[i] * y[i]; });
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = y[i] * (g[i] - dot);
  }
}

// y_i = (x_i - m) - log sum_j exp(x_j - m)
template <class T>
void log_softmax(int64_t rows, int64_t n, const T* x, T* y) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    fetch(x + n, n);
    fetch_to_write(y + n, n);
    const T m = row_max(n, x);
    const T log_sum = static_cast<T>(__builtin_log(static_cast<double>(
        sum_pieces<T>(n, [&](int64_t i) { return exp_of_negative(x[i] - m); }))));
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] - m - log_sum;
  }
}

// dx = g - exp(y) sum g
template <class T>
void log_softmax_backward(int64_t rows, int64_t n, const T* y, const T* g, T* dx) {
  for (int64_t r = 0; r < rows; ++r, y += n, g += n, dx += n) {
    fetch(y + n, n);
    fetch(g + n, n);
    fetch_to_write(dx + n, n);
    const T sum = sum_pieces<T>(n, [&](int64_t i) { return g[i]; });
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = g[i] - exp_(y[i]) * sum;
  }
}

}  // namespace

SLOPE_KERNELS(SoftmaxKernels, softmax<T>, softmax_backward<T>, log_softmax<T>,
              log_softmax_backward<T>)

}  // namespace slope
