// Vectors as wide as the instruction set's registers, for loops whose sums have to stay in them.
#pragma once

#include <slope/core/kernels/math.h>

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
