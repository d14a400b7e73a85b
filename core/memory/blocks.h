// What the pools of small, medium and large blocks share. Private to core/memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace slope::memory {

constexpr size_t line = 64, small_limit = 1024, medium_limit = 64 << 10;

inline std::atomic<int64_t> reserved{0};  // bytes requested from the system
inline void count_reserved(int64_t bytes) { reserved.fetch_add(bytes, std::memory_order_relaxed); }

constexpr size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

void* from_system(size_t bytes);  // null if it has no memory left

struct FreeBlock {
  FreeBlock* next;
};

}  // namespace slope::memory
