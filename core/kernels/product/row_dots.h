// Dot products of a few rows of A with the rows of W, which is read in place. W has A's type, or
// holds bf16 numbers as their bits, which are widened as they are read.
//
// A sum runs in the lanes of one vector, element p in lane p % L. Then the lanes are added in a
// tree, and finally the elements after the last full vector. While four rows of W are used, the
// next four are prefetched: rows are too short for the hardware prefetcher.
#pragma once

#include <slope/core/kernels/product/product_panel.h>

#include <bit>

namespace slope {
namespace {

template <class T>
[[gnu::always_inline]] inline Vector<T> load_wide(const T* w) {
  return load<T>(w);
}
template <class T>
[[gnu::always_inline]] inline Vector<float> load_wide(const uint16_t* w) {
  typedef uint16_t Bits __attribute__((vector_size(vector_bytes / 2)));
  typedef uint32_t Wide __attribute__((vector_size(vector_bytes)));
  Bits bits;
  __builtin_memcpy(&bits, w, sizeof(bits));
  return reinterpret_cast<Vector<float>>(__builtin_convertvector(bits, Wide) << 16);
}
template <class T>
T widened(T w) {
  return w;
}
template <class T>
float widened(uint16_t w) {
  return std::bit_cast<float>(uint32_t{w} << 16);
}

// R rows of A by N rows of W.
template <class T, int R, int N, class W>
[[gnu::always_inline]] inline void dots(int64_t k, const T* a, int64_t lda, const W* w, int64_t ldw,
                                        const Place<T>& to) {
  constexpr int64_t L = vector_size<T>;
  Vector<T> sums[R][N] = {};
  int64_t p = 0;
  for (; p + L <= k; p += L) {
    Vector<T> x[R];
    unrolled<R>([&](auto r) __attribute__((always_inline)) { x[r] = load<T>(a + r * lda + p); });
    unrolled<N>([&](auto j) __attribute__((always_inline)) {
      const Vector<T> y = load_wide<T>(w + j * ldw + p);
      __builtin_prefetch(w + (j + N) * ldw + p);
      unrolled<R>([&](auto r)
                      __attribute__((always_inline)) { sums[r][j] = fused(x[r], y, sums[r][j]); });
    });
  }
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < N; ++j) {
      T sum = sum_of_elements<T>(sums[r][j]);
      for (int64_t q = p; q < k; ++q) sum = fma_(a[r * lda + q], widened<T>(w[j * ldw + q]), sum);
      T& y = to.c[r * to.ldc + j];
      y = to.alpha * sum + (to.bias ? to.bias[j] : T(0)) + (to.keep != T(0) ? to.keep * y : T(0));
    }
}

template <class T, int R, class W>
void rows_by_rows(int64_t n, int64_t k, const T* a, int64_t lda, const W* w, int64_t ldw,
                  Place<T> to) {
  int64_t j = 0;
  const auto advance = [&](int64_t by) {
    j += by;
    w += by * ldw;
    to.c += by;
    if (to.bias) to.bias += by;
  };
  while (j + 4 <= n) {
    dots<T, R, 4>(k, a, lda, w, ldw, to);
    advance(4);
  }
  while (j < n) {
    dots<T, R, 1>(k, a, lda, w, ldw, to);
    advance(1);
  }
}

}  // namespace
}  // namespace slope
