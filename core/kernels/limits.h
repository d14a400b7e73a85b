// Loops that reach the CPU's limits, with which `slope bench machine` compares the other
// loops.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Limits {
  double flops_per_round;
  // independent chains in registers; returns a number that depends on all of them
  float (*multiply_adds)(int64_t rounds);
  void (*triad)(int64_t n, float* a, const float* b, const float* c);  // a = b + 3 c
};

}  // namespace slope
