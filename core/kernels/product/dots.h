// Product of a few rows with the rows of a large matrix, which is read once: a step of decoding.
// Nothing is packed: there are too few rows to use it.
#pragma once

#include <cstdint>

namespace slope {

template <class T>
struct Dots {
  // C (m, n; rows `ldc` apart) = alpha A W^T + beta C + bias, with A (m, k; rows `lda` apart), W
  // (n, k; rows `ldw` apart) and bias (n) or null; C is not read where beta is 0. Element (i, j)
  // has the same bits wherever it stands.
  void (*multiply)(int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* w,
                   int64_t ldw, T beta, const T* bias, T* c, int64_t ldc);
};

}  // namespace slope
