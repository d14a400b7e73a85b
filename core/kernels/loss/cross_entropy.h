// Cross entropy of rows of n contiguous logits with class targets. A row whose target is `ignored`
// has loss 0 and gradient 0.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Targets {
  const int64_t* data;
  int64_t ignored;
  double smoothing;
};

template <class T>
struct CrossEntropyKernels {
  // max and log_sum = log sum exp(x - max) are saved for backward.
  void (*forward)(int64_t rows, int64_t n, const T* x, Targets targets, T* loss, T* max,
                  T* log_sum);
  // dx = g_r d loss_r / dx; g_r is g[r * g_stride].
  void (*backward)(int64_t rows, int64_t n, const T* x, Targets targets, const T* max,
                   const T* log_sum, const T* g, int64_t g_stride, T* dx);
  // Both at once, in place: x becomes x + bias (bias may be null), then the gradient.
  void (*fused)(int64_t rows, int64_t n, T* x, const T* bias, Targets targets, const T* g,
                int64_t g_stride, T* loss);
};

}  // namespace slope
