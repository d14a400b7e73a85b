// Softmax and log-softmax over rows of n contiguous elements, forward and backward.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct SoftmaxKernels {
  void (*softmax)(int64_t rows, int64_t n, const T* x, T* y);
  void (*softmax_backward)(int64_t rows, int64_t n, const T* y, const T* g, T* dx);
  void (*log_softmax)(int64_t rows, int64_t n, const T* x, T* y);
  void (*log_softmax_backward)(int64_t rows, int64_t n, const T* y, const T* g, T* dx);
};

}  // namespace slope
