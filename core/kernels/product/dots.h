// Product of a few rows with the rows of a large matrix, which is read once, as in a step of
// decoding. Nothing is packed, because there are too few rows to profit.
#pragma once

#include <cstdint>

namespace slope {

template <class T>
struct Dots {
  // C (m, n; row stride ldc) = alpha A W^T + beta C + bias, with A (m, k; row stride lda), W (n, k;
  // row stride ldw) and bias (n) or null; C is not read if beta is 0. The bits of element (i, j) do
  // not depend on its position.
  void (*multiply)(int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* w,
                   int64_t ldw, T beta, const T* bias, T* c, int64_t ldc);
};

// The same with alpha 1 and beta 0, and a W of bf16 numbers, as their bits.
struct Bf16Dots {
  void (*multiply)(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const uint16_t* w,
                   int64_t ldw, const float* bias, float* c, int64_t ldc);
};

}  // namespace slope
