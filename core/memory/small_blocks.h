// Small blocks (up to 1 KiB) are cut from chunks and held in free lists for each thread, because
// the tape makes them by the million. A thread holds up to two chunks' worth of each size; more
// goes to a shared depot, from which all threads take: if one thread only allocates and another
// only frees, blocks are still reused. Private to core/memory.
#pragma once

#include <slope/core/memory/blocks.h>
#include <slope/core/memory/mutex.h>

#include <new>
#include <utility>

namespace slope::memory {

constexpr size_t chunk_bytes = 16 << 10;  // cutting a chunk touches all of it
constexpr size_t small_classes = small_limit / line;

// Free small blocks of one size. In the depot, lists are chained through their first blocks
// (Bonwick and Adams, "Magazines and Vmem", 2001).
struct FreeList {
  FreeBlock* first = nullptr;
  size_t count = 0;

  void push(void* block) {
    first = new (block) FreeBlock{first};
    ++count;
  }
  void* pop() {
    FreeBlock* block = first;
    first = block->next;
    --count;
    return block;
  }
};

// Lists that no thread holds. One block of each list stores its head and the link to the next list,
// for which even the smallest block, a cache line, has room.
class Depot {
 public:
  void put(size_t c, FreeList& list) {
    if (list.count == 0) return;
    auto* stored = new (list.pop()) Stored{list, nullptr};
    list = {};
    const Lock lock(mutex_);
    stored->below = top_[c];
    top_[c] = stored;
  }
  FreeList take(size_t c) {
    const Lock lock(mutex_);
    Stored* stored = top_[c];
    if (!stored) return {};
    top_[c] = stored->below;
    FreeList list = stored->list;
    list.push(stored);
    return list;
  }
  Mutex& mutex() { return mutex_; }

 private:
  struct Stored {  // lies in a block of its own list
    FreeList list;
    Stored* below;
  };
  static_assert(sizeof(Stored) <= line);
  Mutex mutex_;
  Stored* top_[small_classes] = {};
};
inline Depot& depot() {  // never destroyed: a thread that ends after main still frees into it
  static auto* const instance = new Depot;
  return *instance;
}

// A thread's small blocks. Trivially destructible, so that the thread's variables can still free
// blocks at its end; from then on blocks go directly to the depot.
class SmallBlocks {
 public:
  void* allocate(size_t bytes) {
    const size_t c = class_of(bytes);
    if (free_[c].count == 0 && !refill(c)) return nullptr;
    void* block = free_[c].pop();
    if (has_ended_) give_away(c);
    return block;
  }
  void deallocate(void* block, size_t bytes) {
    const size_t c = class_of(bytes);
    if (free_[c].count == in_chunk(c)) {
      depot().put(c, full_[c]);
      std::swap(free_[c], full_[c]);
    }
    free_[c].push(block);
    if (!is_registered_) end_with_thread();
    if (has_ended_) give_away(c);
  }

 private:
  static size_t class_of(size_t bytes) { return (bytes - 1) / line; }
  static size_t in_chunk(size_t c) { return chunk_bytes / ((c + 1) * line); }

  void give_away(size_t c) {
    depot().put(c, free_[c]);
    depot().put(c, full_[c]);
  }
  void end_with_thread() {
    struct AtEnd {
      SmallBlocks* pool;
      ~AtEnd() {
        pool->has_ended_ = true;
        for (size_t c = 0; c < small_classes; ++c) pool->give_away(c);
      }
    };
    is_registered_ = true;
    static thread_local const AtEnd at_end{this};
  }
  bool refill(size_t c) {
    if (!is_registered_) end_with_thread();
    std::swap(free_[c], full_[c]);
    if (free_[c].count == 0) free_[c] = depot().take(c);
    if (free_[c].count > 0) return true;
    auto* chunk = static_cast<std::byte*>(from_system(chunk_bytes));
    if (!chunk) return false;
    for (size_t i = in_chunk(c); i-- > 0;) free_[c].push(chunk + i * (c + 1) * line);
    return true;
  }
  FreeList free_[small_classes], full_[small_classes];  // full: as many as a chunk holds, or none
  bool is_registered_ = false, has_ended_ = false;
};

}  // namespace slope::memory
