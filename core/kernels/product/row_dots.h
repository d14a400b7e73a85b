// Dot products of a few rows of A with the rows of W, which is read in place. W has A's type, or
// holds bf16 numbers as their bits, which are widened as they are read.
//
// A sum runs in the lanes of one vector of L: element p in lane p % L, and with bf16 numbers in
// lane p / 2 % L, because a number at an even place is the lower half of a 32-bit lane, the next
// one its upper half. Then the lanes are added in a tree, and finally the elements after the last
// full vector. While some rows of W are used, as many more are prefetched: rows are too short for
// the hardware prefetcher.
#pragma once

#include <slope/core/kernels/product/product_panel.h>

#include <bit>

namespace slope {
namespace {

// c = alpha sum + …, where `sum` lacks the elements from p on.
template <class T, class W>
[[gnu::always_inline]] inline void finish_dot(T sum, int64_t p, int64_t k, const T* a, const W* w,
                                              int r, int j, const Place<T>& to) {
  for (; p < k; ++p)
    if constexpr (std::is_same_v<W, T>)
      sum = fma_(a[p], w[p], sum);
    else
      sum = fma_(a[p], std::bit_cast<float>(uint32_t{w[p]} << 16), sum);
  T& y = to.c[r * to.ldc + j];
  y = to.alpha * sum + (to.bias ? to.bias[j] : T(0)) + (to.keep != T(0) ? to.keep * y : T(0));
}

// R rows of A by N rows of W.
template <int R, int N, class T>
[[gnu::always_inline]] inline void dots(int64_t k, const T* a, int64_t lda, const T* w, int64_t ldw,
                                        const Place<T>& to) {
  constexpr int64_t L = vector_size<T>;
  Vector<T> sums[R][N] = {};
  int64_t p = 0;
  for (; p + L <= k; p += L) {
    Vector<T> x[R];
    unrolled<R>([&](auto r) __attribute__((always_inline)) { x[r] = load<T>(a + r * lda + p); });
    unrolled<N>([&](auto j) __attribute__((always_inline)) {
      const Vector<T> y = load<T>(w + j * ldw + p);
      __builtin_prefetch(w + (j + N) * ldw + p);
      unrolled<R>([&](auto r)
                      __attribute__((always_inline)) { sums[r][j] = fused(x[r], y, sums[r][j]); });
    });
  }
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < N; ++j)
      finish_dot(sum_of_elements<T>(sums[r][j]), p, k, a + r * lda, w + j * ldw, r, j, to);
}

// Elements 0, 2, 4, … of two vectors with first = 0, elements 1, 3, 5, … with first = 1.
template <int first>
[[gnu::always_inline]] inline Vector<float> every_second(Vector<float> x, Vector<float> y) {
  return [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(x, y, (2 * i + first)...);
  }
  (std::make_integer_sequence<int, static_cast<int>(vector_size<float>)>());
}

// The same with a W of bf16 numbers.
template <int R, int N>
[[gnu::always_inline]] inline void dots(int64_t k, const float* a, int64_t lda, const uint16_t* w,
                                        int64_t ldw, const Place<float>& to) {
  typedef uint32_t Pairs __attribute__((vector_size(vector_bytes)));
  constexpr int64_t L = vector_size<float>;
  Vector<float> sums[R][N];  // set to 0 one by one: for all at once, compilers call memset
  unrolled<R>([&](auto r) __attribute__((always_inline)) {
    unrolled<N>([&](auto j) __attribute__((always_inline)) { sums[r][j] = Vector<float>{}; });
  });
  const uint16_t* next = w + N * ldw;  // prefetches N vectors a step: the next N rows as one piece
  int64_t p = 0;
  for (; p + 2 * L <= k; p += 2 * L) {
    Vector<float> even[R], odd[R];
    unrolled<R>([&](auto r) __attribute__((always_inline)) {
      const Vector<float> x = load<float>(a + r * lda + p), y = load<float>(a + r * lda + p + L);
      even[r] = every_second<0>(x, y), odd[r] = every_second<1>(x, y);
    });
    unrolled<N>([&](auto j) __attribute__((always_inline)) {
      Pairs pairs;
      __builtin_memcpy(&pairs, w + j * ldw + p, sizeof(pairs));
      __builtin_prefetch(next + N * p + 2 * L * j);
      const auto low = reinterpret_cast<Vector<float>>(pairs << 16),
                 high = reinterpret_cast<Vector<float>>(pairs & 0xffff0000u);
      unrolled<R>([&](auto r) __attribute__((always_inline)) {
        sums[r][j] = fused(odd[r], high, fused(even[r], low, sums[r][j]));
      });
    });
  }
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < N; ++j)
      finish_dot(sum_of_elements<float>(sums[r][j]), p, k, a + r * lda, w + j * ldw, r, j, to);
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
  // bf16: enough sums that two additions to each, one after the other, do not wait
  constexpr int N = !std::is_same_v<T, W> && R == 1 ? 8 : 4;
  while (j + N <= n) {
    dots<R, N>(k, a, lda, w, ldw, to);
    advance(N);
  }
  while (j < n) {
    dots<R, 1>(k, a, lda, w, ldw, to);
    advance(1);
  }
}

}  // namespace
}  // namespace slope
