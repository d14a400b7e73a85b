// Memory: the one allocator. Blocks are 64-byte aligned and held for reuse, because a first write
// to fresh pages costs many times as much as one to used pages; everything is counted, and a test
// can make the n-th allocation fail. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slope::memory {

// Exact if one thread allocates and frees, except that `peak` may miss rises of up to 64 KiB. For
// each other running thread up to 64 KiB and 1024 calls may not be counted yet.
struct Stats {
  int64_t live = 0;         // bytes in use now
  int64_t peak = 0;         // most bytes in use since the last reset_peak()
  int64_t allocations = 0;  // calls of allocate()
  int64_t reserved = 0;     // bytes taken from the system; release_cached() does not lower this
};

// throws MemoryError, which states the request and the bytes in use
[[nodiscard]] void* allocate(size_t bytes);
void deallocate(void* block, size_t bytes) noexcept;  // `bytes` as requested
Stats stats();
void reset_peak();
void release_cached();  // returns the pages of cached large blocks to the system
// the n-th allocation from now (1: the next) throws, once; 0 switches this off
void fail_allocation(int64_t n);

// While it lives, no larger request is served on any thread: for programs of strangers.
class RequestLimit {
 public:
  explicit RequestLimit(size_t bytes);
  ~RequestLimit();
  RequestLimit(const RequestLimit&) = delete;
  RequestLimit& operator=(const RequestLimit&) = delete;

 private:
  uint64_t before_;
};

// A base class of small objects that are made by the million: `new` calls allocate().
struct Allocated {
  static void* operator new(size_t bytes) { return allocate(bytes); }
  static void operator delete(void* object, size_t bytes) { deallocate(object, bytes); }
};

}  // namespace slope::memory
