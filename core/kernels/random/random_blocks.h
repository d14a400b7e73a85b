// Consecutive blocks of one draw, from which uniform and normal numbers are made
// (core/tensor/random.cpp).
#pragma once

#include <slope/core/kernels/isa.h>
#include <slope/core/tensor/random.h>

namespace slope {

struct RandomBlocks {
  // y[b] = block first + b, for b < n
  void (*blocks)(const RandomSite& site, int64_t first, int64_t n, Philox::Block* y);
};

}  // namespace slope
