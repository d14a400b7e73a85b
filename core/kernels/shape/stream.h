// Writes that go past the caches: for results larger than they are, which would push out what is
// still needed, and whose memory would be read first only to be overwritten.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Stream {
  // both of any alignment, not overlapping
  void (*copy)(int64_t bytes, const void* from, void* to);
  void (*finish)();  // what this thread has copied can be seen by others that it tells of it
};

}  // namespace slope
