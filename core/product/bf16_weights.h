// Products of few rows with weights that are stored in bf16, for inference: half the memory to
// read.
#pragma once

#include <slope/core/tensor/bfloat16.h>

#include <cstdint>

namespace slope {

// With more rows an f32 product of widened weights is faster.
inline constexpr int64_t most_rows_by_bf16_weights = 15;

// C (m, n) = A (m, k) W^T + bias, summed in f32; W (n, k) and A contiguous, bias (n) or null.
void multiply_by_bf16_weights(int64_t m, int64_t n, int64_t k, const float* a, const BFloat16* w,
                              const float* bias, float* c);

}  // namespace slope
