// Writes that bypass the caches, for results larger than the caches: such results would evict what
// is still needed, and their memory would be read first only to be overwritten.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Stream {
  // any alignment; the ranges must not overlap
  void (*copy)(int64_t bytes, const void* from, void* to);
  void (*finish)();  // makes this thread's copies visible to the threads that it notifies
};

}  // namespace slope
