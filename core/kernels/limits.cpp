// Loops at the CPU's limits. A multiply-add takes 4 cycles and two can start per cycle, so eight
// independent chains or more keep the CPU busy.
#include <slope/core/kernels/limits.h>
#include <slope/core/kernels/vectors.h>

namespace slope {
namespace {

constexpr int chains = 10;

float multiply_adds(int64_t rounds) {
  using V = Vector<float>;
  const V factor = V{} + 0.5F, term = V{} + 1.0F;
  V x[chains];
  for (int i = 0; i < chains; ++i) x[i] = V{} + static_cast<float>(i);
  for (int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 10
    for (int i = 0; i < chains; ++i) x[i] = fused(x[i], factor, term);
  V sum{};
  for (int i = 0; i < chains; ++i) sum += x[i];
  return sum[0];
}

void triad(int64_t n, float* __restrict a, const float* __restrict b, const float* __restrict c) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) a[i] = fma_(3.0F, c[i], b[i]);
}

}  // namespace

SLOPE_KERNEL(Limits, 2.0 * chains * static_cast<double>(vector_size<float>), multiply_adds, triad)

}  // namespace slope
