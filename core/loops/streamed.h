// streamed: a loop's result written past the caches (core/kernels/shape/stream.h). Loops
// know nothing of it: they write pieces into a buffer that stays in the first cache, from
// where they go to memory.
#pragma once

#include <slope/core/kernels/shape/stream.h>

#include <algorithm>

namespace slope {

// True when the result alone is larger than the caches; the operands are at least as large again.
inline bool is_past_caches(int64_t bytes) { return bytes >= 16 << 20; }

// make(i, n, to) writes elements i … i + n - 1 of a result to `to`; called until elements begin …
// end - 1 stand at y + begin.
template <class T, class F>
void streamed(T* y, int64_t begin, int64_t end, const F& make) {
  constexpr int64_t room = (4 << 10) / static_cast<int64_t>(sizeof(T));
  alignas(64) T buffer[room];
  const Stream& stream = kernels<Stream>();
  for (int64_t i = begin; i < end; i += room) {
    const int64_t n = std::min(room, end - i);
    make(i, n, buffer);
    stream.copy(n * static_cast<int64_t>(sizeof(T)), buffer, y + i);
  }
  stream.finish();
}

}  // namespace slope
