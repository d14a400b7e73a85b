// Loops of the reductions: one row to a number, or many rows to one row.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct FoldLoops {
  T (*row)(int64_t n, const T* x);  // over i of x[i]; n >= 1
  // y[j] = over k < n of x[k stride + j]; n >= 1
  void (*columns)(int64_t n, int64_t stride, const T* x, int64_t width, T* y);
};
template <class T>
struct Reduce {
  FoldLoops<T> sum, max, min;  // a nan wins
};

}  // namespace slope
