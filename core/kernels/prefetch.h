// Prefetches what a loop will need next while it still computes: long arithmetic fills the
// processor's out-of-order window well before the next cache miss enters it, and the hardware
// prefetcher does not always help. Prefetching beyond the end of an array does no harm. Figures:
// docs/performance.md.
#pragma once

#include <cstdint>

namespace slope {
namespace {

// most bytes at once: only the beginning of a long row, because the rest would evict what is in use
constexpr int64_t most_fetched = 4096;

template <class T>
[[gnu::always_inline]] inline int64_t fetched(int64_t n) {
  constexpr int64_t most = most_fetched / static_cast<int64_t>(sizeof(T));
  return n < most ? n : most;
}
template <class T>
[[gnu::always_inline]] inline void fetch(const T* x, int64_t n) {
  for (int64_t i = 0; i < fetched<T>(n); i += 64 / static_cast<int64_t>(sizeof(T)))
    __builtin_prefetch(x + i);
}
template <class T>
[[gnu::always_inline]] inline void fetch_to_write(T* y, int64_t n) {
  for (int64_t i = 0; i < fetched<T>(n); i += 64 / static_cast<int64_t>(sizeof(T)))
    __builtin_prefetch(y + i, 1);
}

}  // namespace
}  // namespace slope
