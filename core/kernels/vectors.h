// Vectors as wide as the instruction set's registers, for loops whose sums have to stay in them.
#pragma once

#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/math.h>

#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace slope {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(vector_bytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int64_t vector_size = vector_bytes / static_cast<int64_t>(sizeof(T));

template <class T>
[[gnu::always_inline]] inline Vector<T> load(const T* from) {
  Vector<T> x;
  __builtin_memcpy(&x, from, sizeof(x));  // of one vector at a time: that of two goes through memory
  return x;
}

template <class T>
[[gnu::always_inline]] inline T sum_of_elements(Vector<T> x) {
  T lanes[vector_size<T>];
  __builtin_memcpy(lanes, &x, sizeof(x));
  return fold_lanes(lanes, [](T a, T b) { return a + b; });
}

// f(0), …, f(N - 1), written out: so that what f indexes by its argument stays in registers.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  const auto all = [&]<int... r>(std::integer_sequence<int, r...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, r>()), ...);
  };
  all(std::make_integer_sequence<int, N>());
}

#if defined(__AVX512F__)
[[gnu::always_inline]] inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) { return _mm512_fmadd_ps(a, b, c); }
[[gnu::always_inline]] inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
#elif defined(__FMA__)
[[gnu::always_inline]] inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) { return _mm256_fmadd_ps(a, b, c); }
[[gnu::always_inline]] inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
#else
template <class V>
[[gnu::always_inline]] inline V fused(V a, V b, V c) {
  return a * b + c;
}
#endif

}  // namespace
}  // namespace slope
