// Products of matrices that lie in the cache: attention's, one head at a time. Element (i, j) of C is one chain of fused multiply-adds over
// p = 0, 1, …, whatever the instruction set and the shape of the blocks.
#pragma once

#include <slope/core/kernels/attention.h>
#include <slope/core/kernels/transpose.h>

namespace slope {
namespace {

// Columns that a packed operand is padded to.
constexpr int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }
template <class T>
constexpr int64_t whole_vectors(int64_t n) {  // <= padded(n)
  return (n + vector_size<T> - 1) / vector_size<T> * vector_size<T>;
}

// M rows by N vectors of columns of C = A B (+ C); `columns` of them exist in C.
template <class T, int M, int N>
[[gnu::always_inline]] inline void product_block(int64_t k, HeadMatrix<const T> a, const T* b, int64_t b_row, T* c, int64_t c_row,
                                                 int64_t columns, bool add) {
  using V = Vector<T>;
  constexpr int64_t W = vector_size<T>;
  V sum[M][N] = {};
  for (int64_t p = 0; p < k; ++p) {
    V row[N];
    for (int n = 0; n < N; ++n) __builtin_memcpy(&row[n], b + p * b_row + n * W, sizeof(V));
    for (int m = 0; m < M; ++m) {
      const V factor = a.data[m * a.row + p * a.col] - V{};
      for (int n = 0; n < N; ++n) sum[m][n] = fused(factor, row[n], sum[m][n]);
    }
  }
  for (int m = 0; m < M; ++m) {
    T* out = c + m * c_row;
    if (columns >= N * W) {
      for (int n = 0; n < N; ++n) {
        V before{};
        if (add) __builtin_memcpy(&before, out + n * W, sizeof(V));
        const V after = add ? before + sum[m][n] : sum[m][n];
        __builtin_memcpy(out + n * W, &after, sizeof(V));
      }
    } else {
      T values[N * W];
      __builtin_memcpy(values, sum[m], sizeof(values));
      for (int64_t j = 0; j < columns; ++j) out[j] = add ? out[j] + values[j] : values[j];
    }
  }
}

template <class T, int M>
void product_rows(int64_t n, int64_t k, HeadMatrix<const T> a, const T* b, int64_t b_row, T* c, int64_t c_row, bool add) {
  constexpr int64_t W = vector_size<T>;
  int64_t j = 0;
  for (; n - j > W; j += 2 * W) product_block<T, M, 2>(k, a, b + j, b_row, c + j, c_row, n - j, add);
  if (j < n) product_block<T, M, 1>(k, a, b + j, b_row, c + j, c_row, n - j, add);
}

// C (m, n) = A (m, k) B (k, n), or added to C. B's rows are padded with zeros to padded(n) columns.
template <class T>
void product(int64_t m, int64_t n, int64_t k, HeadMatrix<const T> a, const T* b, int64_t b_row, T* c, int64_t c_row, bool add = false) {
  if (m == 0) return;
  const int64_t blocks = (m + 5) / 6;
  for (int64_t block = 0, i = 0; block < blocks; ++block) {
    const int64_t rows = (m - i + blocks - block - 1) / (blocks - block);
    const HeadMatrix<const T> ai{a.data + i * a.row, a.row, a.col};
    T* ci = c + i * c_row;
    switch (rows) {
      case 6: product_rows<T, 6>(n, k, ai, b, b_row, ci, c_row, add); break;
      case 5: product_rows<T, 5>(n, k, ai, b, b_row, ci, c_row, add); break;
      case 4: product_rows<T, 4>(n, k, ai, b, b_row, ci, c_row, add); break;
      case 3: product_rows<T, 3>(n, k, ai, b, b_row, ci, c_row, add); break;
      case 2: product_rows<T, 2>(n, k, ai, b, b_row, ci, c_row, add); break;
      default: product_rows<T, 1>(n, k, ai, b, b_row, ci, c_row, add); break;
    }
    i += rows;
  }
}

// The same, where a factor 0 in A takes nothing, not even nan or inf, from B. Where B is finite both give the same bits.
template <class T>
void product_of_nonzeros(int64_t m, int64_t n, int64_t k, HeadMatrix<const T> a, const T* b, int64_t b_row, T* c, int64_t c_row, bool add) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < k; ++p)
        if (const T factor = a.data[i * a.row + p * a.col]; factor != 0) sum = fma_(factor, b[p * b_row + j], sum);
      c[i * c_row + j] = add ? c[i * c_row + j] + sum : sum;
    }
}

// Rows of x side by side, padded with zeros to padded(n) columns. Returns whether all of them are finite.
template <class T>
bool pack(int64_t rows, int64_t n, HeadMatrix<const T> x, T* out) {
  const int64_t width = padded(n);
  int bad = 0;
  for (int64_t i = 0; i < rows; ++i, out += width) {
    const T* in = x.data + i * x.row;
    const auto copy = [&](int64_t col) {
#pragma omp simd reduction(| : bad)
      for (int64_t j = 0; j < n; ++j) {
        const T value = in[j * col];
        bad |= !(value - value == 0);
        out[j] = value;
      }
    };
    x.col == 1 ? copy(1) : copy(x.col);
    for (int64_t j = n; j < width; ++j) out[j] = 0;
  }
  return !bad;
}

// The transpose of x (rows, n), padded with zeros to padded(rows) columns.
template <class T>
void pack_transposed(int64_t rows, int64_t n, HeadMatrix<const T> x, T* out) {
  const int64_t width = padded(rows);
  if (x.col == 1)
    transpose_block(rows, n, x.data, x.row, out, width);
  else
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) out[j * width + i] = x.data[i * x.row + j * x.col];
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = rows; i < width; ++i) out[j * width + i] = 0;
}

}  // namespace
}  // namespace slope
