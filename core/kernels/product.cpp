// A panel of B, two vectors wide and at most 256 deep, is packed on the stack; a few rows of A at a time run over it, their sums in
// registers.
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product.h>

#include <algorithm>

namespace slope {
namespace {

#if defined(__AVX512F__)
constexpr int64_t vector_bytes = 64, rows = 12;
#elif defined(__AVX__)
constexpr int64_t vector_bytes = 32, rows = 6;
#else
constexpr int64_t vector_bytes = 16, rows = 6;
#endif
constexpr int64_t depth = 256;

[[gnu::always_inline]] inline float multiply_add(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
[[gnu::always_inline]] inline double multiply_add(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// sums[r][l] = sum_p a[r * row + p * col] panel[p][l]
template <class T, int R, int W>
[[gnu::always_inline]] inline void sum_block(int64_t k, const T* a, int64_t row, int64_t col, const T* panel, T* out) {
  T sums[R][W] = {};
  for (int64_t p = 0; p < k; ++p) {
    const T* b = panel + p * W;
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const T x = a[r * row + p * col];
#pragma omp simd
      for (int l = 0; l < W; ++l) sums[r][l] = multiply_add(x, b[l], sums[r][l]);
    }
  }
  for (int r = 0; r < R; ++r)
    for (int l = 0; l < W; ++l) out[r * W + l] = sums[r][l];
}

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, MatrixRef<T> a, MatrixRef<T> b, T beta, T* c, int64_t ldc) {
  constexpr int W = static_cast<int>(2 * vector_bytes / static_cast<int64_t>(sizeof(T))), R = static_cast<int>(rows);
  alignas(64) T panel[depth * W];
  alignas(64) T sums[R * W];
  for (int64_t j = 0; j < n; j += W) {
    const int64_t width = std::min<int64_t>(W, n - j);
    for (int64_t p0 = 0; p0 == 0 || p0 < k; p0 += depth) {
      const int64_t deep = std::min(depth, k - p0);
      const T* from = b.data + p0 * b.row + j * b.col;
      if (width < W) std::fill(panel, panel + deep * W, T(0));
      if (b.col == 1 && width == W) {
        for (int64_t p = 0; p < deep; ++p)
          for (int l = 0; l < W; ++l) panel[p * W + l] = from[p * b.row + l];
      } else {
        for (int64_t l = 0; l < width; ++l)
          for (int64_t p = 0; p < deep; ++p) panel[p * W + l] = from[p * b.row + l * b.col];
      }
      const T keep = p0 == 0 ? beta : T(1);
      for (int64_t i = 0; i < m; i += R) {
        const T* x = a.data + i * a.row + p0 * a.col;
        const int64_t height = std::min<int64_t>(R, m - i);
        if (height == R) {
          sum_block<T, R, W>(deep, x, a.row, a.col, panel, sums);
        } else {
          for (int64_t r = 0; r < height; ++r) sum_block<T, 1, W>(deep, x + r * a.row, 0, a.col, panel, sums + r * W);
        }
        for (int64_t r = 0; r < height; ++r) {
          T* y = c + (i + r) * ldc + j;
          const T* s = sums + r * W;
          if (keep == T(0)) {
            for (int64_t l = 0; l < width; ++l) y[l] = alpha * s[l];
          } else {
            for (int64_t l = 0; l < width; ++l) y[l] = alpha * s[l] + keep * y[l];
          }
        }
      }
    }
  }
}

}  // namespace

template <>
Product<float> variant<Product<float>, Isa::SLOPE_ISA>() {
  return {multiply<float>};
}
template <>
Product<double> variant<Product<double>, Isa::SLOPE_ISA>() {
  return {multiply<double>};
}

}  // namespace slope
