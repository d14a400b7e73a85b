// Product of matrices with any strides: in place (best if B is small) or packed (best if all sizes
// are large).
#pragma once

#include <slope/core/kernels/strided_matrix.h>

namespace slope {

inline constexpr int64_t product_depth = 256;
// a block of A this small is still in the cache when the next panel of B arrives
inline constexpr int64_t product_block_bytes = 256 << 10;

template <class T>
struct Product {
  // C (m, n; row stride ldc) = alpha A B + beta C + bias, with A (m, k), B (k, n) and bias (n) or
  // null; C is not read if beta is 0. The sum of an element runs over k in order, in blocks of
  // product_depth, wherever the element is; the sum of each block is added to C as a whole.
  void (*multiply)(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                   const StridedMatrix<const T>& b, T beta, const T* bias, T* c, int64_t ldc);
  // The same bits, faster if all sizes are large: packs B, and A where that pays, into `scratch`
  // (packed_size(m, n, k) elements).
  int64_t (*packed_size)(int64_t m, int64_t n, int64_t k);
  void (*multiply_packed)(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                          const StridedMatrix<const T>& b, T beta, const T* bias, T* c, int64_t ldc,
                          T* scratch);
  // The same bits, for callers with many pieces of A for one B: B is packed once, as panels of
  // `panel` columns (the last may have fewer but takes the same space); pack_panels packs panels
  // first … last - 1. `scratch` has packed_a_size(m, k) elements.
  int64_t panel;
  void (*pack_panels)(int64_t first, int64_t last, int64_t n, int64_t k,
                      const StridedMatrix<const T>& b, T* panels);
  int64_t (*packed_a_size)(int64_t m, int64_t k);
  void (*multiply_by_panels)(int64_t m, int64_t n, int64_t k, T alpha,
                             const StridedMatrix<const T>& a, const T* panels, T beta,
                             const T* bias, T* c, int64_t ldc, T* scratch);
  // The same bits, for few rows of A and a B stored by columns (b.row is 1), such as a linear
  // layer's weight: pack_panels has packed A's transpose (k, m), and B, whose packing would take a
  // good part of the time, is read in place. C is not read.
  void (*multiply_by_columns)(int64_t m, int64_t n, int64_t k, T alpha, const T* panels_of_a,
                              const StridedMatrix<const T>& b, const T* bias, T* c, int64_t ldc);
};

// The same bits, packing more of A: which is faster depends on the processor (docs/performance.md).
template <class T>
struct PackingProduct : Product<T> {};

}  // namespace slope
