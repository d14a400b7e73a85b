#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/dots.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/bf16_weights.h>
#include <slope/core/product/gemm.h>
#include <slope/core/product/gemm_tile.h>

#include <algorithm>

namespace slope {

void multiply_by_bf16_weights(int64_t m, int64_t n, int64_t k, const float* a, const BFloat16* w,
                              const float* bias, float* c) {
  const auto* bits = reinterpret_cast<const uint16_t*>(w);
  const auto bias_from = [&](int64_t j) { return bias ? bias + j : nullptr; };
  if (m < few_rows) {
    const int64_t grain = std::max<int64_t>(16, (1 << 15) / std::max<int64_t>(k, 1) / 16 * 16);
    return parallel_for(n, grain, [&](int64_t begin, int64_t end) {
      kernels<Bf16Dots>().multiply(m, end - begin, k, a, k, bits + begin * k, k, bias_from(begin),
                                   c + begin, n);
    });
  }
  const Block block(n * k * static_cast<int64_t>(sizeof(float)));
  auto* wide = static_cast<float*>(block.data);
  parallel_for(n * k, 1 << 16, [&](int64_t begin, int64_t end) {
    kernels<Bf16Copy>().widen(end - begin, bits + begin, wide + begin);
  });
  gemm<float>(false, true, m, n, k, 1, a, std::max<int64_t>(k, 1), wide, std::max<int64_t>(k, 1), 0,
              c, std::max<int64_t>(n, 1), {.bias = bias});
}

}  // namespace slope
