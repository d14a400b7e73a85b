// Loops that show what the CPU can do at most, on the widest vectors that it has: no kernel of slope's, only the measure for them.
#pragma once

#include <cstdint>

namespace slope::tools {

struct VectorLoops {
  const char* name;
  double flops_per_round;                                              // of fma
  float (*fma)(int64_t rounds);                                        // independent multiply-adds in registers
  void (*triad)(int64_t n, float* a, const float* b, const float* c);  // a = b + 3 c; n a multiple of 16
};

VectorLoops widest_vectors();

}  // namespace slope::tools
