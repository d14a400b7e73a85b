// A panel of B, two vectors wide and at most 256 deep, is packed on the stack; a few rows of A at a time run over it, their sums in
// registers.
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product.h>
#include <slope/core/kernels/transpose.h>

#include <algorithm>
#include <cstring>

namespace slope {
namespace {

constexpr int64_t rows = vector_bytes == 64 ? 12 : 6;  // 24 or 12 sums of a vector each: the registers but a few
constexpr int64_t depth = 256;
constexpr int64_t block_bytes = 256 << 10;  // of A, that the next panel finds in the cache
template <class T>
constexpr int width = static_cast<int>(2 * vector_size<T>);  // of a panel

// Where a block of sums goes: C = alpha sums + bias + keep C.
template <class T>
struct Place {
  T alpha, keep;
  const T* bias;  // of the columns, or null
  T* c;
  int64_t ldc, columns;  // of the panel's, those that C has
};

template <class T>
[[gnu::always_inline]] inline void put_row(const T* sums, const Place<T>& to, T* y, int64_t columns) {
  const T alpha = to.alpha, keep = to.keep;
  const auto put = [&](auto more) {
#pragma omp simd
    for (int64_t l = 0; l < columns; ++l) y[l] = more(alpha * sums[l], l);
  };
  if (keep != T(0) && to.bias)
    put([&](T x, int64_t l) { return x + to.bias[l] + keep * y[l]; });
  else if (keep != T(0))
    put([&](T x, int64_t l) { return x + keep * y[l]; });
  else if (to.bias)
    put([&](T x, int64_t l) { return x + to.bias[l]; });
  else
    put([&](T x, int64_t) { return x; });
}

// R rows of sums[r][l] = sum_p a[r * row + p * col] panel[p][l]
template <class T, int R>
[[gnu::always_inline]] inline void rows_by_panel(int64_t k, const T* a, int64_t row, int64_t col, const T* panel, const Place<T>& to) {
  constexpr int W = width<T>;
  for (int r = 0; r < R; ++r) __builtin_prefetch(to.c + r * to.ldc, 1), __builtin_prefetch(to.c + r * to.ldc + to.columns - 1, 1);
  T sums[R][W] = {};
  for (int64_t p = 0; p < k; ++p) {
    const T* b = panel + p * W;
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const T x = a[r * row + p * col];
#pragma omp simd
      for (int l = 0; l < W; ++l) sums[r][l] = fma_(x, b[l], sums[r][l]);
    }
  }
  if (to.columns == W) {
    for (int r = 0; r < R; ++r) put_row(sums[r], to, to.c + r * to.ldc, W);
  } else {
    T out[R][W];
    std::memcpy(out, sums, sizeof(out));
    for (int r = 0; r < R; ++r) put_row(out[r], to, to.c + r * to.ldc, to.columns);
  }
}

// The same for 1 … R rows.
template <class T, int R = static_cast<int>(rows)>
void some_rows_by_panel(int64_t height, int64_t k, const T* a, int64_t row, int64_t col, const T* panel, const Place<T>& to) {
  if constexpr (R > 1)
    if (height < R) return some_rows_by_panel<T, R - 1>(height, k, a, row, col, panel, to);
  if (row == 1)  // two copies of the loop: one of the strides is 1 and known
    rows_by_panel<T, R>(k, a, 1, col, panel, to);
  else
    rows_by_panel<T, R>(k, a, row, col, panel, to);
}

// Columns 0 … columns - 1 of b, the panel's others 0.
template <class T>
void pack_panel(int64_t deep, int64_t columns, MatrixRef<T> b, T* panel) {
  constexpr int W = width<T>;
  if (columns == W && b.col == 1) {
    for (int64_t p = 0; p < deep; ++p)
      for (int l = 0; l < W; ++l) panel[p * W + l] = b.data[p * b.row + l];
  } else if (columns == W && b.row == 1) {
    transpose_block(W, deep, b.data, b.col, panel, W);
  } else {
    if (columns < W) std::fill(panel, panel + deep * W, T(0));
    for (int64_t l = 0; l < columns; ++l)
      for (int64_t p = 0; p < deep; ++p) panel[p * W + l] = b.data[p * b.row + l * b.col];
  }
}

template <class T>
MatrixRef<T> from(MatrixRef<T> x, int64_t i, int64_t j) {
  return {x.data + i * x.row + j * x.col, x.row, x.col};
}

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, MatrixRef<T> a, MatrixRef<T> b, T beta, const T* bias, T* c, int64_t ldc) {
  constexpr int W = width<T>;
  alignas(64) T panel[depth * W];
  const int64_t block = std::max(rows, block_bytes / static_cast<int64_t>(sizeof(T)) / std::max<int64_t>(k, 1) / rows * rows);
  for (int64_t top = 0; top < m; top += block) {
    const int64_t height = std::min(block, m - top);
    for (int64_t j = 0; j < n; j += W) {
      const int64_t columns = std::min<int64_t>(W, n - j);
      for (int64_t p = 0; p == 0 || p < k; p += depth) {
        const int64_t deep = std::min(depth, k - p);
        pack_panel(deep, columns, from(b, p, j), panel);
        Place<T> to{alpha, p == 0 ? beta : T(1), p == 0 && bias ? bias + j : nullptr, c + top * ldc + j, ldc, columns};
        for (int64_t i = 0; i < height; i += rows, to.c += rows * ldc)
          some_rows_by_panel<T>(std::min(rows, height - i), deep, from(a, top + i, p).data, a.row, a.col, panel, to);
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
