// A vector of which only the first n elements (all, some or none) are in memory. Loads give 0 for
// the others; stores do not touch the memory after the n-th.
#pragma once

#include <slope/core/kernels/vectors.h>

namespace slope {
namespace {

template <class T>
struct First {
  int64_t n;

#if defined(__AVX512F__)
  uint32_t mask() const { return n <= 0 ? 0 : n >= 16 ? 0xffff : (1u << n) - 1; }
  Vector<T> load(const T* from) const {
    if constexpr (sizeof(T) == 4)
      return (Vector<T>)_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask()), from);
    else
      return (Vector<T>)_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask()), from);
  }
  void store(Vector<T> x, T* to) const {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask()), (__m512)x);
    else
      _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask()), (__m512d)x);
  }
#else
  Vector<T> load(const T* from) const {
    Vector<T> x = {};
    for (int64_t l = 0; l < vector_size<T> && l < n; ++l) x[l] = from[l];
    return x;
  }
  void store(Vector<T> x, T* to) const {
    for (int64_t l = 0; l < vector_size<T> && l < n; ++l) to[l] = x[l];
  }
#endif
};

}  // namespace
}  // namespace slope
