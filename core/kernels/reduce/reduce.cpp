// A row of at least 32 elements is folded in 32 lanes, element i in lane i % 32; then the lanes are
// folded in a tree. A shorter row is folded from left to right; columns, four rows at a time. The
// order is the same for vectors of any width.
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/reduce/reduce.h>
#include <slope/core/kernels/vectors.h>
#include <slope/core/loops/modular.h>

namespace slope {
namespace {

struct Sum {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return static_cast<T>(modular(a) + modular(b));
  }
};
struct Max {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct Min {
  template <class T>
  [[gnu::always_inline]] static T f(T a, T b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};

template <class Fold, class T>
T row(int64_t n, const T* x) {
  constexpr int64_t lanes = 32, L = vector_size<T>;
  if (n < lanes) {
    T y = x[0];
    for (int64_t i = 1; i < n; ++i) y = Fold::f(y, x[i]);
    return y;
  }
  Vector<T> sums[lanes / L];
  unrolled<lanes / L>([&](auto v) __attribute__((always_inline)) { sums[v] = load<T>(x + v * L); });
  int64_t i = lanes;
  for (; i + lanes <= n; i += lanes)
    unrolled<lanes / L>([&](auto v) __attribute__((always_inline)) {
      sums[v] = Fold::f(sums[v], load<T>(x + i + v * L));
    });
  T y[lanes];
  unrolled<lanes / L>([&](auto v) __attribute__((always_inline)) {
    __builtin_memcpy(y + v * L, &sums[v], sizeof(sums[v]));
  });
  for (int l = 0; i + l < n; ++l) y[l] = Fold::f(y[l], x[i + l]);
  return fold_lanes(y, [](auto a, auto b) { return Fold::f(a, b); });
}

// Four rows at a time, so that y is read and written once for them.
template <class Fold, class T>
void columns(int64_t n, int64_t stride, const T* __restrict x, int64_t width, T* __restrict y) {
  for (int64_t j = 0; j < width; ++j) y[j] = x[j];
  int64_t k = 1;
  for (; k + 4 <= n; k += 4) {
    const T *a = x + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j)
      y[j] = Fold::f(y[j], Fold::f(Fold::f(a[j], b[j]), Fold::f(c[j], d[j])));
  }
  for (; k < n; ++k) {
    const T* a = x + k * stride;
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) y[j] = Fold::f(y[j], a[j]);
  }
}

}  // namespace

SLOPE_KERNELS(Reduce, {row<Sum, T>, columns<Sum, T>}, {row<Max, T>, columns<Max, T>},
              {row<Min, T>, columns<Min, T>})
SLOPE_KERNELS_OF(Reduce, int64_t, {row<Sum, T>, columns<Sum, T>}, {row<Max, T>, columns<Max, T>},
                 {row<Min, T>, columns<Min, T>})

}  // namespace slope
