// Vectors as wide as the registers of the instruction set, for loops whose sums have to stay in
// registers.
#pragma once

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
  // one vector per copy: for two in one copy, compilers go through memory
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

// Combines the elements in a tree: i with i + n / 2, then the halves of the result. `combine` gets
// vectors, so it has to be free of branches: `|`, not `||`.
template <int n, class T, class F>
[[gnu::always_inline]] inline T fold_lanes(const T (&x)[n], F combine) {
  constexpr int bytes = n * static_cast<int>(sizeof(T));
  static_assert((n & (n - 1)) == 0 && bytes >= 16 && (sizeof(T) == 4 || sizeof(T) == 8),
                "a power of two, at least one vector");
  constexpr int width = bytes / 2 < 16             ? 16
                        : bytes / 2 < vector_bytes ? bytes / 2
                                                   : vector_bytes,
                L = width / static_cast<int>(sizeof(T));
  typedef T Some __attribute__((vector_size(width)));
  const auto some = [&](int first) __attribute__((always_inline)) {
    Some y;
    __builtin_memcpy(&y, x + first, sizeof(y));
    return y;
  };
  if constexpr (bytes > 16) {
    T half[n / 2];
    for (int i = 0; i < n / 2; i += L) {
      const Some y = combine(some(i), some(i + n / 2));
      __builtin_memcpy(half + i, &y, sizeof(y));
    }
    return fold_lanes(half, combine);
  } else if constexpr (L == 4) {
    const Some y = combine(some(0), __builtin_shufflevector(some(0), some(0), 2, 3, 0, 1));
    return combine(y, __builtin_shufflevector(y, y, 1, 0, 3, 2))[0];
  } else {
    return combine(some(0), __builtin_shufflevector(some(0), some(0), 1, 0))[0];
  }
}

template <class T>
[[gnu::always_inline]] inline T sum_of_elements(Vector<T> x) {
  T lanes[vector_size<T>];
  __builtin_memcpy(lanes, &x, sizeof(x));
  return fold_lanes(lanes, [](auto a, auto b) { return a + b; });
}

// f(0), …, f(N - 1), unrolled, so that what f indexes by its argument stays in registers.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  const auto all = [&]<int... r>(std::integer_sequence<int, r...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, r>()), ...);
  };
  all(std::make_integer_sequence<int, N>());
}

#if defined(__AVX512F__)
[[gnu::always_inline]] inline Vector<float> fused(Vector<float> a, Vector<float> b,
                                                  Vector<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Vector<double> fused(Vector<double> a, Vector<double> b,
                                                   Vector<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
// The same with a factor that the instruction reads from memory: the compiler would load a factor
// that is used twice into a register.
[[gnu::always_inline]] inline Vector<float> fused_in_memory(const float& a, Vector<float> b,
                                                            Vector<float> c) {
  asm("vfmadd231ps %1%{1to16%}, %2, %0" : "+v"(c) : "m"(a), "v"(b));
  return c;
}
[[gnu::always_inline]] inline Vector<double> fused_in_memory(const double& a, Vector<double> b,
                                                             Vector<double> c) {
  asm("vfmadd231pd %1%{1to8%}, %2, %0" : "+v"(c) : "m"(a), "v"(b));
  return c;
}
#elif defined(__FMA__)
[[gnu::always_inline]] inline Vector<float> fused(Vector<float> a, Vector<float> b,
                                                  Vector<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline Vector<double> fused(Vector<double> a, Vector<double> b,
                                                   Vector<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
#else
template <class V>
[[gnu::always_inline]] inline V fused(V a, V b, V c) {
  return a * b + c;
}
#endif
#if !defined(__AVX512F__)
template <class T>
[[gnu::always_inline]] inline Vector<T> fused_in_memory(const T& a, Vector<T> b, Vector<T> c) {
  return fused(a - Vector<T>{}, b, c);
}
#endif

}  // namespace
}  // namespace slope
