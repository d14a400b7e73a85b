// Writes of whole cache lines past the caches.
#pragma once

#include <slope/core/kernels/vectors.h>

#include <algorithm>
#include <cstring>

namespace slope {
namespace {

#if defined(__AVX__)
[[gnu::always_inline]] inline void write_lines(int64_t bytes, const void* from, void* to) {
  constexpr int64_t line = 64;
  const auto* x = static_cast<const char*>(from);
  auto* y = static_cast<char*>(to);
  const int64_t before = std::min(bytes, static_cast<int64_t>(-reinterpret_cast<uintptr_t>(y) % line));
  std::memcpy(y, x, static_cast<size_t>(before));
  int64_t i = before;
  for (; i + line <= bytes; i += line)
    for (int64_t l = 0; l < line; l += 32)
      _mm256_stream_ps(reinterpret_cast<float*>(y + i + l), _mm256_loadu_ps(reinterpret_cast<const float*>(x + i + l)));
  std::memcpy(y + i, x + i, static_cast<size_t>(bytes - i));
}
inline void finish_lines() { _mm_sfence(); }  // before other threads are told
#else
inline void write_lines(int64_t bytes, const void* from, void* to) { std::memcpy(to, from, static_cast<size_t>(bytes)); }
inline void finish_lines() {}
#endif

}  // namespace
}  // namespace slope
