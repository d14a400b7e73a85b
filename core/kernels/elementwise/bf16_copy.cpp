#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>

#include <cstring>

namespace slope {
namespace {

// Rounds as core/tensor/bfloat16.h does, without branches.
void round(int64_t n, const float* from, uint16_t* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    uint32_t all;
    std::memcpy(&all, from + i, sizeof(all));
    const uint32_t nearest = all + 0x7fff + (all >> 16 & 1), quiet_nan = all | 0x400000;
    to[i] = static_cast<uint16_t>(((all & 0x7fffffff) > 0x7f800000 ? quiet_nan : nearest) >> 16);
  }
}

void widen(int64_t n, const uint16_t* from, float* to) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t all = uint32_t{from[i]} << 16;
    std::memcpy(to + i, &all, sizeof(all));
  }
}

}  // namespace

SLOPE_KERNEL(Bf16Copy, round, widen)

}  // namespace slope
