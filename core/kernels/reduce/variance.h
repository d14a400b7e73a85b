// Variance and standard deviation of rows of n contiguous elements.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct VarianceKernels {
  // y = sum (x - mean x)^2 / divisor, of each row
  void (*var)(int64_t rows, int64_t n, double divisor, const T* x, T* y);
  void (*std)(int64_t rows, int64_t n, double divisor, const T* x, T* y);  // its root
  // dx = 2 g (x - mean x) / divisor; with `add`, dx += …
  void (*var_backward)(int64_t rows, int64_t n, double divisor, const T* x, const T* y, const T* g,
                       T* dx, bool add);
  // dx = g (x - mean x) / (y divisor), 0 where y = 0; with `add`, dx += …
  void (*std_backward)(int64_t rows, int64_t n, double divisor, const T* x, const T* y, const T* g,
                       T* dx, bool add);
};

}  // namespace slope
