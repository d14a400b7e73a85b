// Three tiers. Small blocks (up to 1 KiB) are cut from chunks and kept in free lists for each thread: the tape makes them by the million.
// Two chunks' worth of each size stays with a thread; more goes to a depot for all, so that one thread may free what another allocates.
// Medium blocks (up to 64 KiB) are kept by size class. Large blocks are cut best-fit from segments and merged with their free neighbours,
// so that batches of every length share the same memory. Under AddressSanitizer every block is the system's own, so that it sees each
// misuse.
#include <slope/core/error.h>
#include <slope/core/memory.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOPE_SYSTEM_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOPE_SYSTEM_ALLOCATOR
#endif
#endif

namespace slope::memory {
namespace {

constexpr size_t line = 64, small_limit = 1024, chunk_bytes = 64 << 10, segment_bytes = 16 << 20;

[[maybe_unused]] constexpr size_t medium_limit = 64 << 10;  // not where a sanitizer sees each block

std::atomic<int64_t> live{0}, peak{0}, allocations{0}, reserved{0}, countdown{0};

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

void* from_system(size_t bytes) {
  void* block =
      std::aligned_alloc(bytes >= segment_bytes ? size_t{2} << 20 : line, round_up(bytes, bytes >= segment_bytes ? size_t{2} << 20 : line));
  if (!block) return nullptr;
#if defined(__linux__)
  if (bytes >= segment_bytes) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  reserved += static_cast<int64_t>(bytes);
  return block;
}

struct FreeBlock {
  FreeBlock* next;
};

// Large blocks: every block of a segment, free or used, in address order; free ones also by size.
class Segments {
 public:
  void* allocate(size_t bytes) {
    bytes = round_up(bytes, 4096);
    std::lock_guard lock(mutex_);
    auto fit = free_.lower_bound({bytes, nullptr});
    if (fit == free_.end()) {
      const size_t segment = round_up(bytes, segment_bytes);
      auto* base = static_cast<std::byte*>(from_system(segment));
      if (!base) return nullptr;
      blocks_[base] = {segment, base, true};
      fit = free_.emplace(Key{segment, base}, 0).first;
    }
    auto* block = fit->first.address;
    free_.erase(fit);
    Block& used = blocks_[block];
    used.free = false;
    if (used.bytes > bytes) {
      insert_free(block + bytes, used.bytes - bytes, used.segment);
      used.bytes = bytes;
    }
    return block;
  }

  void deallocate(void* address) {
    std::lock_guard lock(mutex_);
    auto at = blocks_.find(static_cast<std::byte*>(address));
    at->second.free = true;
    at = merge_with_next(at);
    if (at != blocks_.begin()) {
      auto before = std::prev(at);
      if (before->second.free && before->second.segment == at->second.segment) {
        free_.erase({before->second.bytes, before->first});
        before->second.bytes += at->second.bytes;
        blocks_.erase(at);
        at = before;
      }
    }
    free_.emplace(Key{at->second.bytes, at->first}, 0);
  }

  void release() {
    std::lock_guard lock(mutex_);
    for (auto at = blocks_.begin(); at != blocks_.end();) {
      const bool whole = at->second.free && at->first == at->second.segment &&
                         (std::next(at) == blocks_.end() || std::next(at)->second.segment != at->first);
      if (!whole) {
        ++at;
        continue;
      }
      free_.erase({at->second.bytes, at->first});
      reserved -= static_cast<int64_t>(at->second.bytes);
      std::free(at->first);
      at = blocks_.erase(at);
    }
  }

 private:
  struct Block {
    size_t bytes;
    std::byte* segment;
    bool free;
  };
  struct Key {
    size_t bytes;
    std::byte* address;
    auto operator<=>(const Key&) const = default;
  };
  void insert_free(std::byte* address, size_t bytes, std::byte* segment) {
    blocks_[address] = {bytes, segment, true};
    free_.emplace(Key{bytes, address}, 0);
  }
  std::map<std::byte*, Block>::iterator merge_with_next(std::map<std::byte*, Block>::iterator at) {
    auto next = std::next(at);
    if (next == blocks_.end() || !next->second.free || next->second.segment != at->second.segment) return at;
    free_.erase({next->second.bytes, next->first});
    at->second.bytes += next->second.bytes;
    blocks_.erase(next);
    return at;
  }

  std::mutex mutex_;
  std::map<std::byte*, Block> blocks_;
  std::map<Key, char> free_;
};

// Medium blocks: four classes for each power of two.
class Classes {
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
      std::lock_guard lock(mutex_);
      if (FreeBlock* block = free_[c]) {
        free_[c] = block->next;
        return block;
      }
    }
    return from_system(round_up(bytes_of(c), line));
  }
  void deallocate(void* block, size_t bytes) {
    const size_t c = class_of(bytes);
    std::lock_guard lock(mutex_);
    free_[c] = new (block) FreeBlock{free_[c]};
  }

 private:
  std::mutex mutex_;
  FreeBlock* free_[24] = {};
};

// The process's pools live for ever: a thread that ends after main still frees into them.
Segments& segments() {
  static auto* const instance = new Segments;
  return *instance;
}
[[maybe_unused]] Classes& classes() {
  static auto* const instance = new Classes;
  return *instance;
}

constexpr size_t small_classes = small_limit / line;

// Free small blocks of one size. In the depot lists are chained through their first blocks (Bonwick and Adams, "Magazines and Vmem", 2001).
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

// Full lists that no thread keeps. Their blocks have room for a second pointer: the smallest is a line.
class Depot {
 public:
  void put(size_t c, FreeList& list) {
    if (list.count == 0) return;
    auto* stored = new (list.pop()) Stored{list, nullptr};
    list = {};
    std::lock_guard lock(mutex_);
    stored->below = top_[c];
    top_[c] = stored;
  }
  FreeList take(size_t c) {
    std::lock_guard lock(mutex_);
    Stored* stored = top_[c];
    if (!stored) return {};
    top_[c] = stored->below;
    FreeList list = stored->list;
    list.push(stored);
    return list;
  }

 private:
  struct Stored {  // stands in a block of its own list
    FreeList list;
    Stored* below;
  };
  static_assert(sizeof(Stored) <= line);
  std::mutex mutex_;
  Stored* top_[small_classes] = {};
};
Depot& depot() {
  static auto* const instance = new Depot;
  return *instance;
}

class SmallPool {
 public:
  ~SmallPool() {
    for (size_t c = 0; c < small_classes; ++c) {
      depot().put(c, free_[c]);
      depot().put(c, full_[c]);
    }
  }
  void* allocate(size_t bytes) {
    const size_t c = class_of(bytes);
    if (free_[c].count == 0 && !refill(c)) return nullptr;
    return free_[c].pop();
  }
  void deallocate(void* block, size_t bytes) {
    const size_t c = class_of(bytes);
    if (free_[c].count == in_chunk(c)) {
      depot().put(c, full_[c]);
      std::swap(free_[c], full_[c]);
    }
    free_[c].push(block);
  }

 private:
  static size_t class_of(size_t bytes) { return (bytes - 1) / line; }
  static size_t in_chunk(size_t c) { return chunk_bytes / ((c + 1) * line); }

  bool refill(size_t c) {
    std::swap(free_[c], full_[c]);
    if (free_[c].count == 0) free_[c] = depot().take(c);
    if (free_[c].count > 0) return true;
    auto* chunk = static_cast<std::byte*>(from_system(chunk_bytes));
    if (!chunk) return false;
    for (size_t i = in_chunk(c); i-- > 0;) free_[c].push(chunk + i * (c + 1) * line);
    return true;
  }
  FreeList free_[small_classes], full_[small_classes];  // full: as many as a chunk holds, or none
};

#if defined(SLOPE_SYSTEM_ALLOCATOR)
void* take(size_t bytes) { return from_system(round_up(bytes, line)); }
void give(void* block, size_t bytes) {
  reserved -= static_cast<int64_t>(round_up(bytes, line));
  std::free(block);
}
#else
thread_local SmallPool small;

void* take(size_t bytes) {
  if (bytes <= small_limit) return small.allocate(bytes);
  return bytes <= medium_limit ? classes().allocate(bytes) : segments().allocate(bytes);
}
void give(void* block, size_t bytes) {
  if (bytes <= small_limit) return small.deallocate(block, bytes);
  bytes <= medium_limit ? classes().deallocate(block, bytes) : segments().deallocate(block);
}
#endif

}  // namespace

void* allocate(size_t bytes) {
  if (bytes == 0) bytes = 1;
  allocations.fetch_add(1, std::memory_order_relaxed);
  const bool refused = countdown.load(std::memory_order_relaxed) > 0 && countdown.fetch_sub(1) == 1;
  void* block = refused || bytes > (size_t{1} << 48) ? nullptr : take(bytes);
  SLOPE_CHECK_AS(MemoryError, block, "out of memory: {} bytes requested, {} in use", bytes, live.load());
  const int64_t now = live.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed) + static_cast<int64_t>(bytes);
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  return block;
}

void deallocate(void* block, size_t bytes) noexcept {
  if (bytes == 0) bytes = 1;
  live.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  give(block, bytes);
}

Stats stats() { return {live.load(), peak.load(), allocations.load(), reserved.load()}; }
void reset_peak() { peak = live.load(); }
void release_cached() { segments().release(); }
void fail_allocation(int64_t n) { countdown = n; }

}  // namespace slope::memory
