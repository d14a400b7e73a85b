#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/dots.h>
#include <slope/core/kernels/product/row_dots.h>

namespace slope {
namespace {

template <class T, class W>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const W* w,
              int64_t ldw, T beta, const T* bias, T* c, int64_t ldc) {
  constexpr int64_t block = 16;  // rows of W that stay in the cache while A is walked
  for (int64_t j = 0; j < n; j += block) {
    const int64_t columns = std::min(block, n - j);
    Place<T> to{alpha, beta, bias ? bias + j : nullptr, c + j, ldc, columns};
    int64_t i = 0;
    for (; i + 3 <= m; i += 3, to.c += 3 * ldc)
      rows_by_rows<T, 3>(columns, k, a + i * lda, lda, w + j * ldw, ldw, to);
    for (; i < m; ++i, to.c += ldc)
      rows_by_rows<T, 1>(columns, k, a + i * lda, lda, w + j * ldw, ldw, to);
  }
}

void multiply_bf16(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const uint16_t* w,
                   int64_t ldw, const float* bias, float* c, int64_t ldc) {
  multiply<float>(m, n, k, 1, a, lda, w, ldw, 0, bias, c, ldc);
}

}  // namespace

SLOPE_KERNELS(Dots, multiply<T, T>)
SLOPE_KERNEL(Bf16Dots, multiply_bf16)

}  // namespace slope
