// The loops of optimizers: one pass over a stretch of n elements, everything read and written once.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

// w p, but 0 if w is 0, even for an infinite p.
template <class T>
[[gnu::always_inline]] inline T decayed(T w, T p) {
  return w == 0 ? T(0) : w * p;
}

template <class T>
struct SgdConstants {
  // fresh: weight of the new gradient in the momentum, 1 - dampening; 1 at the first step
  T lr, weight_decay, momentum, fresh;
  bool nesterov;
  T factor;  // multiplies the gradient
};

// See optim/elementwise/adam.cpp; `factor` multiplies the gradient.
template <class T>
struct AdamConstants {
  T step_size, keep, decay, one_minus_beta1, beta2, one_minus_beta2, correction, eps, factor;
};

template <class T>
struct OptimKernels {
  void (*sgd)(int64_t n, T* p, const T* g, const SgdConstants<T>& c);
  void (*sgd_momentum)(int64_t n, T* p, const T* g, T* b, const SgdConstants<T>& c);
  void (*adam)(int64_t n, T* p, const T* g, T* m, T* v, const AdamConstants<T>& c);
  void (*amsgrad)(int64_t n, T* p, const T* g, T* m, T* v, T* v_max, const AdamConstants<T>& c);
  void (*average)(int64_t n, T* e, const T* p, T one_minus_decay);  // e <- e + (1 - decay) (p - e)
  void (*scale)(int64_t n, T* x, T factor);
  double (*sum_of_squares)(int64_t n, const T* x);  // in double: a norm over millions of elements
};

}  // namespace slope
