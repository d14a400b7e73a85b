// One value again and again, by the widest stores. Those of 16 bytes take twice as long: lines that
// are not filled at once are read first.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

struct Fill {
  // line: 64 bytes of one value, to whose size `to` is aligned. past_caches: as by
  // kernels/stream.h, whose finish() is due then too.
  void (*fill)(int64_t bytes, const void* line, void* to, bool past_caches);
};

}  // namespace slope
