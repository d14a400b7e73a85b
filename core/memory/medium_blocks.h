// Medium blocks (1 to 64 KiB): four sizes for each power of two. Private to core/memory.
#pragma once

#include <slope/core/memory/blocks.h>
#include <slope/core/memory/mutex.h>

#include <bit>
#include <new>

namespace slope::memory {

class MediumBlocks {
 public:
  static size_t class_of(size_t bytes) {
    const size_t units = (bytes - 1) / small_limit;  // 1 … 63
    const int power = std::bit_width(units) - 1;     // 0 … 5
    return static_cast<size_t>(power) * 4 + ((bytes - 1) * 4 / (small_limit << power) - 4);
  }
  static size_t bytes_of(size_t c) { return (small_limit << (c / 4)) / 4 * (5 + c % 4); }

  void* allocate(size_t bytes) {
    const size_t c = class_of(bytes);
    {
      const Lock lock(mutex_);
      if (FreeBlock* block = free_[c]) {
        free_[c] = block->next;
        return block;
      }
    }
    return from_system(round_up(bytes_of(c), line));
  }
  void deallocate(void* block, size_t bytes) {
    const size_t c = class_of(bytes);
    const Lock lock(mutex_);
    free_[c] = new (block) FreeBlock{free_[c]};
  }
  Mutex& mutex() { return mutex_; }

 private:
  Mutex mutex_;
  FreeBlock* free_[24] = {};
};

}  // namespace slope::memory
