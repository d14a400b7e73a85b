// Products of matrices, some of which an operation has already rounded to bf16.
#pragma once

#include <slope/core/product/bf16_gemm.h>
#include <slope/core/product/gemm.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

// A contiguous matrix, and whether its transpose is meant.
struct Factor {
  const Tensor& x;  // of the product's dtype, or bf16 in a product of floats
  bool transpose = false;
};

// C (m, n) = op(A) op(B) + beta C
template <class T>
void multiply(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, T beta, T* c) {
  const int64_t lda = a.transpose ? m : k, ldb = b.transpose ? k : n;
  if constexpr (std::is_same_v<T, float>) {
    const auto operand = [](const Factor& f, int64_t ld) -> Bf16Operand {
      if (f.x.dtype() == bf16)
        return Operand<uint16_t>{bits_of(f.x.data<BFloat16>()), ld, f.transpose};
      return Operand<float>{f.x.data<float>(), ld, f.transpose};
    };
    if (a.x.dtype() == bf16 || b.x.dtype() == bf16)
      return bf16_gemm(m, n, k, 1, operand(a, lda), operand(b, ldb), beta, nullptr, c, n);
  }
  gemm<T>(a.transpose, b.transpose, m, n, k, 1, a.x.data<T>(), lda, b.x.data<T>(), ldb, beta, c, n);
}

}  // namespace slope
