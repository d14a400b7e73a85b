// Loops that show what the CPU can do at most: the measure for the others, in
// `slope bench machine`.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Limits {
  double flops_per_round;
  // independent chains in registers; returns a number made of them all
  float (*multiply_adds)(int64_t rounds);
  void (*triad)(int64_t n, float* a, const float* b, const float* c);  // a = b + 3 c
};

}  // namespace slope
