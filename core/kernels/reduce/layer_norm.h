// Layer norm and RMS norm over rows of n contiguous elements. weight and bias may be null (1 and
// 0).
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct NormKernels {
  void (*layer_norm)(int64_t rows, int64_t n, T eps, const T* x, const T* weight, const T* bias,
                     T* y, T* mean, T* rstd);
  // dx may be null; with `add` it is added to, as dweight and dbias (null or n sums) always are.
  void (*layer_norm_backward)(int64_t rows, int64_t n, const T* x, const T* weight, const T* mean,
                              const T* rstd, const T* g, T* dx, bool add, T* dweight, T* dbias);
  void (*rms_norm)(int64_t rows, int64_t n, T eps, const T* x, const T* weight, T* y, T* rstd);
  void (*rms_norm_backward)(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                            const T* g, T* dx, bool add, T* dweight);
};

}  // namespace slope
