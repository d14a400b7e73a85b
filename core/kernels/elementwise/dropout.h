// Dropout: y = scale * x if the element's 32 random bits reach the threshold, else 0. No mask is
// stored: backward draws the same bits again.
#pragma once

#include <slope/core/kernels/isa.h>
#include <slope/core/tensor/random.h>

namespace slope {

struct Keep {
  RandomSite site;
  uint32_t threshold = 0;  // p * 2^32, where p is the probability of 0
  double scale = 1;        // 1 / (1 - p)
};

template <class T>
struct DropoutKernels {
  // elements first … first + n - 1 of the draw
  void (*apply)(const Keep& keep, int64_t first, int64_t n, const T* x, T* y);
};

}  // namespace slope
