// Loops of the elementwise operations. Inputs are walked with a step (0: one number for all),
// outputs are contiguous, except that of Accumulate.
#pragma once

#include <slope/core/kernels/elementwise/elementwise_rows.h>
#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct UnaryLoops {
  void (*forward)(int64_t n, const T* x, int64_t x_step, T* y);
  // dx = g df(v); v is x or y
  void (*backward)(int64_t n, const T* g, int64_t g_step, const T* v, int64_t v_step, T* dx);
};
template <class T>
struct Unary {
  UnaryLoops<T> rows[std::tuple_size_v<UnaryRows>];  // by unary_index
};

template <class T>
using BinaryLoop = void (*)(int64_t n, const T* a, int64_t a_step, const T* b, int64_t b_step,
                            T* y);
template <class T>
struct Binary {
  BinaryLoop<T> rows[std::tuple_size_v<BinaryRows>];  // by binary_index
};

template <class T>
struct Accumulate {
  void (*add)(int64_t n, const T* x, int64_t x_step, T* y, int64_t y_step);  // y += x
};

}  // namespace slope
