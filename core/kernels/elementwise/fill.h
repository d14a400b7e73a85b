// Fills memory with one value by the widest stores. Stores of 16 bytes take twice as long, because
// a cache line that is not filled at once is read first.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Fill {
  // line: 64 bytes of one value; `to` is aligned to the value's size. past_caches: writes like
  // core/kernels/shape/stream.h, whose finish() is then required too.
  void (*fill)(int64_t bytes, const void* line, void* to, bool past_caches);
};

}  // namespace slope
