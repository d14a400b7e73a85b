// Sums, maxima and minima of an array, or of each column of a matrix.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct FoldLoops {
  // the reduction of x[0], …, x[n - 1]; n >= 1
  T (*row)(int64_t n, const T* x);
  // y[j] = the reduction of column j of n rows, which are `stride` elements apart; n >= 1
  void (*columns)(int64_t n, int64_t stride, const T* x, int64_t width, T* y);
};
template <class T>
struct Reduce {
  FoldLoops<T> sum, max, min;  // nan if an element is nan
};

}  // namespace slope
