#include <slope/core/kernels/elementwise/elementwise.h>

namespace slope {
namespace {

template <class Row, class T>
void unary(int64_t n, const T* __restrict x, int64_t x_step, T* __restrict y) {
  if (x_step == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(x[i * x_step]);
  }
}

// g df(v), or a choice
template <class Row, class T>
[[gnu::always_inline]] inline T through(T g, T v) {
  if constexpr (is_choice<Row>)
    return Row::df(v) == 0 ? T(0) : g;
  else
    return g * Row::df(v);
}

template <class Row, class T>
void unary_backward(int64_t n, const T* g, int64_t g_step, const T* __restrict v, int64_t v_step,
                    T* dx) {  // dx may be g
  if (g_step == 1 && v_step == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = through<Row>(g[i], v[i]);
  } else if (g_step == 0 && v_step == 1) {
    const T one_g = *g;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = through<Row>(one_g, v[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) dx[i] = through<Row>(g[i * g_step], v[i * v_step]);
  }
}

template <class Row, class T>
void binary(int64_t n, const T* __restrict a, int64_t a_step, const T* __restrict b, int64_t b_step,
            T* __restrict y) {
  if (a_step == 1 && b_step == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(a[i], b[i]);
  } else if (a_step == 1 && b_step == 0) {
    const T one_b = *b;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(a[i], one_b);
  } else if (a_step == 0 && b_step == 1) {
    const T one_a = *a;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(one_a, b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = Row::f(a[i * a_step], b[i * b_step]);
  }
}

template <class T>
void accumulate(int64_t n, const T* __restrict x, int64_t x_step, T* __restrict y, int64_t y_step) {
  if (x_step == 1 && y_step == 1) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] += x[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * y_step] += x[i * x_step];
  }
}

template <class T, class... Rows>
Unary<T> unary_loops(std::tuple<Rows...>*) {
  return {{{unary<Rows, T>, unary_backward<Rows, T>}...}};
}
template <class T, class... Rows>
Binary<T> binary_loops(std::tuple<Rows...>*) {
  return {{binary<Rows, T>...}};
}

}  // namespace

SLOPE_KERNELS(Unary, unary_loops<T>(static_cast<UnaryRows*>(nullptr)))
SLOPE_KERNELS(Binary, binary_loops<T>(static_cast<BinaryRows*>(nullptr)))
SLOPE_KERNELS(Accumulate, accumulate<T>)

}  // namespace slope
