// Optimizer loops; formulas in the same letters are in optim/elementwise/sgd.cpp and adam.cpp.
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/prefetch.h>

#include <algorithm>
#include <cmath>

namespace slope {
namespace {

template <class T>
void sgd(int64_t n, T* p, const T* g, const SgdConstants<T>& c) {
  const T lr = c.lr, w = c.weight_decay, factor = c.factor;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) p[i] -= lr * (factor * g[i] + decayed(w, p[i]));
}

template <class T>
void sgd_momentum(int64_t n, T* p, const T* g, T* b, const SgdConstants<T>& c) {
  const T lr = c.lr, w = c.weight_decay, mu = c.momentum, fresh = c.fresh, factor = c.factor;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const T d = factor * g[i] + decayed(w, p[i]);
    b[i] = mu * b[i] + fresh * d;
    p[i] -= lr * (c.nesterov ? d + mu * b[i] : b[i]);
  }
}

template <class T>
[[gnu::always_inline]] inline void adam_moments(T& p, T g, T& m, T& v, const AdamConstants<T>& c) {
  p *= c.keep;
  const T d = c.factor * g + decayed(c.decay, p);
  m += c.one_minus_beta1 * (d - m);
  v = c.beta2 * v + c.one_minus_beta2 * d * d;
}

template <class T>
void adam(int64_t n, T* p, const T* g, T* m, T* v, const AdamConstants<T>& constants) {
  const AdamConstants<T> c = constants;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    adam_moments(p[i], g[i], m[i], v[i], c);
    p[i] -= c.step_size * (m[i] / (std::sqrt(v[i]) * c.correction + c.eps));
  }
}

template <class T>
void amsgrad(int64_t n, T* p, const T* g, T* m, T* v, T* v_max, const AdamConstants<T>& constants) {
  const AdamConstants<T> c = constants;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    adam_moments(p[i], g[i], m[i], v[i], c);
    v_max[i] = v[i] > v_max[i] || v[i] != v[i] ? v[i] : v_max[i];
    p[i] -= c.step_size * (m[i] / (std::sqrt(v_max[i]) * c.correction + c.eps));
  }
}

template <class T>
void average(int64_t n, T* e, const T* p, T one_minus_decay) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) e[i] += one_minus_decay * (p[i] - e[i]);
}

template <class T>
void scale(int64_t n, T* x, T factor) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

template <class T>
double sum_of_squares(int64_t n, const T* x) {
  constexpr int64_t piece = 1024;
  double sum = 0;
  for (; n > 0; n -= piece, x += piece) {
    // prefetched, because a sum alone is bound by memory
    if (n > piece) fetch(x + piece, std::min(piece, n - piece));
    sum += sum_lanes<double>(std::min(n, piece), [&](int64_t i) {
      return static_cast<double>(x[i]) * static_cast<double>(x[i]);
    });
  }
  return sum;
}

}  // namespace

SLOPE_KERNELS(OptimKernels, sgd<T>, sgd_momentum<T>, adam<T>, amsgrad<T>, average<T>, scale<T>,
              sum_of_squares<T>)

}  // namespace slope
