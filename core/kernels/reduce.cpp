#include <slope/core/kernels/reduce.h>

namespace slope {
namespace {

struct Sum {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return a + b;
  }
};
struct Max {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Min {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

template <class Fold, class T>
T row(int64_t n, const T* x) {
  constexpr int lanes = 32;
  if (n < lanes) {
    T y = x[0];
    for (int64_t i = 1; i < n; ++i) y = Fold::f(y, x[i]);
    return y;
  }
  T y[lanes];
  for (int l = 0; l < lanes; ++l) y[l] = x[l];
  int64_t i = lanes;
  for (; i + lanes <= n; i += lanes)
#pragma omp simd
    for (int l = 0; l < lanes; ++l) y[l] = Fold::f(y[l], x[i + l]);
  for (int l = 0; i + l < n; ++l) y[l] = Fold::f(y[l], x[i + l]);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) y[l] = Fold::f(y[l], y[l + width]);
  return y[0];
}

// Four rows at a time: y is read and written once for them.
template <class Fold, class T>
void columns(int64_t n, int64_t stride, const T* __restrict x, int64_t width, T* __restrict y) {
  for (int64_t j = 0; j < width; ++j) y[j] = x[j];
  int64_t k = 1;
  for (; k + 4 <= n; k += 4) {
    const T *a = x + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[j] = Fold::f(y[j], Fold::f(Fold::f(a[j], b[j]), Fold::f(c[j], d[j])));
  }
  for (; k < n; ++k) {
    const T* a = x + k * stride;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[j] = Fold::f(y[j], a[j]);
  }
}

template <class T>
Reduce<T> loops() {
  return {{row<Sum, T>, columns<Sum, T>}, {row<Max, T>, columns<Max, T>}, {row<Min, T>, columns<Min, T>}};
}

}  // namespace

template <>
Reduce<float> variant<Reduce<float>, Isa::SLOPE_ISA>() {
  return loops<float>();
}
template <>
Reduce<double> variant<Reduce<double>, Isa::SLOPE_ISA>() {
  return loops<double>();
}
template <>
Reduce<int64_t> variant<Reduce<int64_t>, Isa::SLOPE_ISA>() {
  return loops<int64_t>();
}

}  // namespace slope
