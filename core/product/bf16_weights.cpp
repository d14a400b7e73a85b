#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/dots.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/bf16_weights.h>

#include <algorithm>

namespace slope {

void multiply_by_bf16_weights(int64_t m, int64_t n, int64_t k, const float* a, const BFloat16* w,
                              const float* bias, float* c) {
  const int64_t rows = std::max<int64_t>(16, (1 << 15) / std::max<int64_t>(k, 1) / 16 * 16);
  parallel_for(n, rows, [&](int64_t begin, int64_t end) {
    kernels<Bf16Dots>().multiply(m, end - begin, k, a, k, bits_of(w) + begin * k, k,
                                 bias ? bias + begin : nullptr, c + begin, n);
  });
}

}  // namespace slope
