// streamed: writes the result of a loop past the caches (core/kernels/shape/stream.h). The loop
// need not know: it writes pieces into a buffer that stays in the first-level cache, from which
// they are stored to memory.
#pragma once

#include <slope/core/kernels/shape/stream.h>

#include <algorithm>

namespace slope {

// Whether a result of so many bytes and its operands, assumed to take as much again, are too large
// for typical caches.
inline bool is_past_caches(int64_t bytes) { return bytes >= 16 << 20; }

// Writes elements begin … end - 1 of a result to y[begin] … y[end - 1]. Calls make(i, n, to) for
// each piece in turn, which writes elements i … i + n - 1 to to[0] … to[n - 1].
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
