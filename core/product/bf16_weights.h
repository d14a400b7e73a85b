// Products with weights that are stored in bf16, for inference: half the memory to read.
#pragma once

#include <slope/core/tensor/bfloat16.h>

#include <cstdint>

namespace slope {

// C (m, n) = A (m, k) W^T + bias, summed in f32; W (n, k) and A contiguous, bias (n) or null. Few
// rows are multiplied with W as it is; for more, W is widened to f32 first.
void multiply_by_bf16_weights(int64_t m, int64_t n, int64_t k, const float* a, const BFloat16* w,
                              const float* bias, float* c);

}  // namespace slope
