// Each sum runs in the lanes of one vector, p in lane p % L, which are added in a tree; then comes what is left of k.
// While four rows of W are used, the next four are fetched: the rows are too short for the hardware to see it coming.
#include <slope/core/kernels/dots.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product_panel.h>

namespace slope {
namespace {

// R rows of A by N rows of W.
template <class T, int R, int N>
[[gnu::always_inline]] inline void dots(int64_t k, const T* a, int64_t lda, const T* w, int64_t ldw, const Place<T>& to) {
  constexpr int64_t L = vector_size<T>;
  Vector<T> sums[R][N] = {};
  int64_t p = 0;
  for (; p + L <= k; p += L) {
    Vector<T> x[R];
    unrolled<R>([&](auto r) __attribute__((always_inline)) { x[r] = load<T>(a + r * lda + p); });
    unrolled<N>([&](auto j) __attribute__((always_inline)) {
      const Vector<T> y = load<T>(w + j * ldw + p);
      __builtin_prefetch(w + (j + N) * ldw + p);
      unrolled<R>([&](auto r) __attribute__((always_inline)) { sums[r][j] = fused(x[r], y, sums[r][j]); });
    });
  }
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < N; ++j) {
      T sum = sum_of_elements<T>(sums[r][j]);
      for (int64_t q = p; q < k; ++q) sum = fma_(a[r * lda + q], w[j * ldw + q], sum);
      T& y = to.c[r * to.ldc + j];
      y = to.alpha * sum + (to.bias ? to.bias[j] : T(0)) + (to.keep != T(0) ? to.keep * y : T(0));
    }
}

template <class T, int R>
void rows_by_rows(int64_t n, int64_t k, const T* a, int64_t lda, const T* w, int64_t ldw, Place<T> to) {
  int64_t j = 0;
  const auto advance = [&](int64_t by) {
    j += by, w += by * ldw, to.c += by;
    if (to.bias) to.bias += by;
  };
  for (; j + 4 <= n; advance(4)) dots<T, R, 4>(k, a, lda, w, ldw, to);
  for (; j < n; advance(1)) dots<T, R, 1>(k, a, lda, w, ldw, to);
}

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* w, int64_t ldw, T beta, const T* bias, T* c,
              int64_t ldc) {
  constexpr int64_t block = 16;  // rows of W that stay in the cache while A goes over them
  for (int64_t j = 0; j < n; j += block) {
    const int64_t columns = std::min(block, n - j);
    Place<T> to{alpha, beta, bias ? bias + j : nullptr, c + j, ldc, columns};
    int64_t i = 0;
    for (; i + 3 <= m; i += 3, to.c += 3 * ldc) rows_by_rows<T, 3>(columns, k, a + i * lda, lda, w + j * ldw, ldw, to);
    for (; i < m; ++i, to.c += ldc) rows_by_rows<T, 1>(columns, k, a + i * lda, lda, w + j * ldw, ldw, to);
  }
}

}  // namespace

template <>
Dots<float> variant<Dots<float>, Isa::SLOPE_ISA>() {
  return {multiply<float>};
}
template <>
Dots<double> variant<Dots<double>, Isa::SLOPE_ISA>() {
  return {multiply<double>};
}

}  // namespace slope
