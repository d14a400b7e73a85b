// Product of matrices of any strides: as it stands, best where B is small, or packed, best where
// all sizes are large.
#pragma once

#include <cstdint>

namespace slope {

// op(A): element (i, p) at a[i * row + p * col].
template <class T>
struct MatrixRef {
  const T* data;
  int64_t row, col;
};

inline constexpr int64_t product_depth = 256;
// of A, that the next panel of B finds in the cache
inline constexpr int64_t product_block_bytes = 256 << 10;

template <class T>
struct Product {
  // C (m, n; rows `ldc` apart) = alpha A B + beta C + bias, with A (m, k), B (k, n) and bias (n) or
  // null; C is not read where beta is 0. The sum of an element runs over k in order, in blocks of
  // product_depth, wherever the element stands; each block's is added to C whole.
  void (*multiply)(int64_t m, int64_t n, int64_t k, T alpha, const MatrixRef<T>& a,
                   const MatrixRef<T>& b, T beta, const T* bias, T* c, int64_t ldc);
  // The same bits, faster where all of the sizes are large: B, and A where that pays, are packed
  // into `scratch` (packed_size(m, n, k) elements) on the way.
  int64_t (*packed_size)(int64_t m, int64_t n, int64_t k);
  void (*multiply_packed)(int64_t m, int64_t n, int64_t k, T alpha, const MatrixRef<T>& a,
                          const MatrixRef<T>& b, T beta, const T* bias, T* c, int64_t ldc,
                          T* scratch);
  // The same bits again, for those who multiply by B in many pieces: B is packed once, as panels of
  // `panel` columns (the last may have fewer, and takes as much space); panels first … last - 1 of
  // them at a time. `scratch` has packed_a_size(m, k) elements.
  int64_t panel;
  void (*pack_panels)(int64_t first, int64_t last, int64_t n, int64_t k, const MatrixRef<T>& b,
                      T* panels);
  int64_t (*packed_a_size)(int64_t m, int64_t k);
  void (*multiply_by_panels)(int64_t m, int64_t n, int64_t k, T alpha, const MatrixRef<T>& a,
                             const T* panels, T beta, const T* bias, T* c, int64_t ldc, T* scratch);
  // The same bits once more, for few rows of A and a B that stands by columns (b.row is 1), as a
  // linear layer's weight does: A's transpose (k, m) is what pack_panels has packed, and B, where
  // packing would take a good part of the time, is read as it stands. C is not read.
  void (*multiply_by_columns)(int64_t m, int64_t n, int64_t k, T alpha, const T* panels_of_a,
                              const MatrixRef<T>& b, const T* bias, T* c, int64_t ldc);
};

// The same bits, packing more of A: what is faster depends on the processor (docs/performance.md).
template <class T>
struct PackingProduct : Product<T> {};

}  // namespace slope
