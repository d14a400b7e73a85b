// Layer norm and RMS norm over rows of n contiguous elements. A null weight counts as 1, a null
// bias as 0. A row's mean is origin + offset (centre.h).
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct NormKernels {
  void (*layer_norm)(int64_t rows, int64_t n, T eps, const T* x, const T* weight, const T* bias,
                     T* y, T* origin, T* offset, T* rstd);
  // dx, dweight and dbias may be null. dx is overwritten, or added to if `add` is set; dweight and
  // dbias, of n elements, are always added to.
  void (*layer_norm_backward)(int64_t rows, int64_t n, const T* x, const T* weight, const T* origin,
                              const T* offset, const T* rstd, const T* g, T* dx, bool add,
                              T* dweight, T* dbias);
  void (*rms_norm)(int64_t rows, int64_t n, T eps, const T* x, const T* weight, T* y, T* rstd);
  void (*rms_norm_backward)(int64_t rows, int64_t n, const T* x, const T* weight, const T* rstd,
                            const T* g, T* dx, bool add, T* dweight);
};

}  // namespace slope
