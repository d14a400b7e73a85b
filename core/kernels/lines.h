// Writes of whole cache lines past the caches.
#pragma once

#include <slope/core/kernels/vectors.h>

#include <algorithm>
#include <cstring>

namespace slope {
namespace {

constexpr int64_t line_bytes = 64;
inline int64_t to_next_line(const void* at) {
  return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(at) % line_bytes);
}

#if defined(__AVX__)
// `to`: aligned to a cache line.
[[gnu::always_inline]] inline void write_line(const char* from, char* to) {
  for (int64_t l = 0; l < line_bytes; l += 32)
    _mm256_stream_ps(reinterpret_cast<float*>(to + l),
                     _mm256_loadu_ps(reinterpret_cast<const float*>(from + l)));
}
[[gnu::always_inline]] inline void write_lines(int64_t bytes, const void* from, void* to) {
  const auto* x = static_cast<const char*>(from);
  auto* y = static_cast<char*>(to);
  const int64_t before = std::min(bytes, to_next_line(to));
  std::memcpy(y, x, static_cast<size_t>(before));
  int64_t i = before;
  for (; i + line_bytes <= bytes; i += line_bytes) write_line(x + i, y + i);
  std::memcpy(y + i, x + i, static_cast<size_t>(bytes - i));
}
inline void finish_lines() { _mm_sfence(); }  // before other threads are notified
#else
inline void write_line(const char* from, char* to) { std::memcpy(to, from, line_bytes); }
inline void write_lines(int64_t bytes, const void* from, void* to) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}
inline void finish_lines() {}
#endif

}  // namespace
}  // namespace slope
