// Neighbouring blocks of one draw, whose words become uniform and normal numbers (core/random.cpp).
#pragma once

#include <slope/core/kernels/isa.h>
#include <slope/core/random.h>

namespace slope {

struct RandomBlocks {
  void (*blocks)(const RandomSite& site, int64_t first, int64_t n, Philox::Block* y);  // y_b: block first + b
};

}  // namespace slope
