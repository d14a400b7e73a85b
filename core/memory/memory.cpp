// Three tiers. Small blocks (up to 1 KiB) are cut from chunks and held in free lists for each
// thread, because the tape makes them by the million. A thread holds up to two chunks' worth of
// each size; more goes to a shared depot, so that one thread may free what another allocates.
// Medium blocks (up to 64 KiB) are held by size class. Large blocks are cut best-fit from one
// growing range of addresses and merged with their free neighbours, so that batches of every length
// share the same memory. Under AddressSanitizer every block comes from the system, so that each
// misuse is seen.
#include <slope/core/error.h>
#include <slope/core/memory/account.h>
#include <slope/core/memory/address_range.h>
#include <slope/core/memory/memory.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOPE_SYSTEM_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOPE_SYSTEM_ALLOCATOR
#endif
#endif

namespace slope::memory {
namespace {

constexpr size_t line = 64, small_limit = 1024;
// cutting a chunk touches all of it
constexpr size_t chunk_bytes = 16 << 10;

[[maybe_unused]] constexpr size_t medium_limit = 64 << 10;  // unused under sanitizers

std::atomic<int64_t> reserved{0}, countdown{0};

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

void* from_system(size_t bytes) {
  void* block = std::aligned_alloc(line, bytes);
  if (block) reserved += static_cast<int64_t>(bytes);
  return block;
}

struct FreeBlock {
  FreeBlock* next;
};

// Large blocks, free and used, in address order; the free ones also by size, for the best fit.
class LargeBlocks {
 public:
  void* allocate(size_t bytes) {
    bytes = round_up(bytes, 512);
    std::lock_guard lock(mutex_);
    auto fit = free_.lower_bound({bytes, nullptr});
    if (fit == free_.end()) {
      if (!grow(bytes)) return nullptr;
      fit = free_.lower_bound({bytes, nullptr});
    }
    Block& block = blocks_.find(fit->address)->second;
    // whatever may throw comes first
    if (block.bytes > bytes) insert_free(fit->address + bytes, block.bytes - bytes);
    block.bytes = bytes;
    block.key = free_.extract(fit);
    return block.key.value().address;
  }

  void deallocate(void* address) {
    std::lock_guard lock(mutex_);
    const auto at = blocks_.find(static_cast<std::byte*>(address));
    at->second.key.value().bytes = at->second.bytes;
    free_.insert(std::move(at->second.key));
    merge_with_next(at);
    if (at != blocks_.begin()) merge_with_next(std::prev(at));
  }

  void release() {  // the blocks stay free, without their pages
    std::lock_guard lock(mutex_);
    for (const Key& key : free_) give_back(key.address, key.bytes);
  }

 private:
  struct Key {
    size_t bytes;
    std::byte* address;
    auto operator<=>(const Key&) const = default;
  };
  using Keys = std::set<Key>;
  struct Block {
    size_t bytes;
    // the map's node of a used block moves to the free ones: allocating one could fail
    Keys::node_type key = {};
    bool is_free() const { return key.empty(); }
  };
  using Blocks = std::map<std::byte*, Block>;

  // Makes a free block of at least this many bytes.
  bool grow(size_t bytes) {
    size_t at_top = 0;  // free bytes that the new ones would join
    if (const auto above = blocks_.lower_bound(range_.top()); above != blocks_.begin())
      if (const auto& [address, block] = *std::prev(above);
          block.is_free() && address + block.bytes == range_.top())
        at_top = block.bytes;
    const size_t missing = round_up(bytes - at_top, huge_page);
    if (missing <= range_.room()) return extend(range_, missing);
    const size_t whole = round_up(bytes, huge_page);
    AddressRange other;
    if (!other.renew(whole)) return false;
    if (!extend(other, whole)) {
      other.abandon();
      return false;
    }
    const auto [rest, room] = range_.abandon();
    range_ = other;
    if (room > 0) add_fresh(rest, room);
    return true;
  }
  bool extend(AddressRange& range, size_t bytes) {
    std::byte* fresh = range.top();
    if (!range.extend(bytes)) return false;
    add_fresh(fresh, bytes);
    return true;
  }
  void add_fresh(std::byte* address, size_t bytes) {
    reserved += static_cast<int64_t>(bytes);
    const auto at = insert_free(address, bytes);
    merge_with_next(at);
    if (at != blocks_.begin()) merge_with_next(std::prev(at));
  }
  Blocks::iterator insert_free(std::byte* address, size_t bytes) {
    Keys key{{bytes, address}};
    const auto at = blocks_.insert_or_assign(address, Block{bytes}).first;
    free_.merge(key);
    return at;
  }
  void merge_with_next(Blocks::iterator at) {
    const auto next = std::next(at);
    if (next == blocks_.end() || !at->second.is_free() || !next->second.is_free() ||
        at->first + at->second.bytes != next->first)
      return;
    free_.erase({next->second.bytes, next->first});
    // moved, not allocated: nothing here may fail
    auto key = free_.extract({at->second.bytes, at->first});
    at->second.bytes += next->second.bytes;
    key.value().bytes = at->second.bytes;
    free_.insert(std::move(key));
    blocks_.erase(next);
  }

  std::mutex mutex_;
  AddressRange range_;
  Blocks blocks_;
  Keys free_;
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

// The process's pools are never destroyed: a thread that ends after main still frees into them.
LargeBlocks& large() {
  static auto* const instance = new LargeBlocks;
  return *instance;
}
[[maybe_unused]] Classes& classes() {
  static auto* const instance = new Classes;
  return *instance;
}

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

// Full lists that no thread holds. Their blocks have room for a second pointer: the smallest is a
// cache line.
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
  struct Stored {  // lies in a block of its own list
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

// A thread's small blocks. Trivially destroyed, so that what the thread's own variables free at its
// end finds it: from then on blocks go to the depot at once.
class SmallPool {
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
      SmallPool* pool;
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

#if defined(SLOPE_SYSTEM_ALLOCATOR)
void* take(size_t bytes) { return from_system(round_up(bytes, line)); }
void give(void* block, size_t bytes) {
  reserved -= static_cast<int64_t>(round_up(bytes, line));
  std::free(block);
}
#else
constinit thread_local SmallPool small;

void* take(size_t bytes) {
  if (bytes <= small_limit) return small.allocate(bytes);
  if (bytes <= medium_limit) return classes().allocate(bytes);
  try {
    return large().allocate(bytes);
  } catch (const std::bad_alloc&) {  // no memory to account for the blocks
    return nullptr;
  }
}
void give(void* block, size_t bytes) {
  if (bytes <= small_limit) return small.deallocate(block, bytes);
  bytes <= medium_limit ? classes().deallocate(block, bytes) : large().deallocate(block);
}
#endif

}  // namespace

void* allocate(size_t bytes) {
  if (bytes == 0) bytes = 1;
  const bool refused = countdown.load(std::memory_order_relaxed) > 0 && countdown.fetch_sub(1) == 1;
  void* block = refused || bytes > (size_t{1} << 48) ? nullptr : take(bytes);
  SLOPE_CHECK_AS(MemoryError, block, "out of memory: {} bytes requested, {} in use", bytes,
                 stats().live);
  count_allocated(bytes);
  return block;
}

void deallocate(void* block, size_t bytes) noexcept {
  if (bytes == 0) bytes = 1;
  count_freed(bytes);
  give(block, bytes);
}

Stats stats() {
  const Totals all = totals();
  return {all.live, all.peak, all.allocations, reserved.load()};
}
void release_cached() { large().release(); }
void fail_allocation(int64_t n) { countdown = n; }

}  // namespace slope::memory
