// The allocator: small blocks in free lists for each thread, medium blocks by size class, large
// blocks cut best-fit from one growing range of addresses and merged with their free neighbours, so
// that batches of every length share the same memory. Under AddressSanitizer and ThreadSanitizer
// every block comes from the system, so that each misuse is seen.
#include <slope/core/error.h>
#include <slope/core/memory/account.h>
#include <slope/core/memory/fork.h>
#include <slope/core/memory/large_blocks.h>
#include <slope/core/memory/medium_blocks.h>
#include <slope/core/memory/memory.h>
#include <slope/core/memory/small_blocks.h>

#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOPE_SYSTEM_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOPE_SYSTEM_ALLOCATOR
#endif
#endif

namespace slope::memory {

void* from_system(size_t bytes) {
  void* block = std::aligned_alloc(line, bytes);
  if (block) count_reserved(static_cast<int64_t>(bytes));
  return block;
}

namespace {

std::atomic<int64_t> countdown{0};
std::atomic<uint64_t> most_served{(uint64_t{1} << 48) - 1};  // no process has more addresses

// Never destroyed: a thread that ends after main still frees into them.
LargeBlocks& large() {
  static auto* const instance = new LargeBlocks;
  return *instance;
}
[[maybe_unused]] MediumBlocks& medium() {
  static auto* const instance = new MediumBlocks;
  return *instance;
}

[[maybe_unused]] const bool locks_are_held_over_fork =
    hold_over_fork(ForkOrder::allocator, depot().mutex()) &&
    hold_over_fork(ForkOrder::allocator, medium().mutex()) &&
    hold_over_fork(ForkOrder::allocator, large().mutex());

#if defined(SLOPE_SYSTEM_ALLOCATOR)
void* take(size_t bytes) { return from_system(round_up(bytes, line)); }
void give(void* block, size_t bytes) {
  count_reserved(-static_cast<int64_t>(round_up(bytes, line)));
  std::free(block);
}
#else
constinit thread_local SmallBlocks small;

void* take(size_t bytes) {
  if (bytes <= small_limit) return small.allocate(bytes);
  if (bytes <= medium_limit) return medium().allocate(bytes);
  try {
    return large().allocate(bytes);
  } catch (const std::bad_alloc&) {  // no memory for the bookkeeping of blocks
    return nullptr;
  }
}
void give(void* block, size_t bytes) {
  if (bytes <= small_limit) return small.deallocate(block, bytes);
  bytes <= medium_limit ? medium().deallocate(block, bytes) : large().deallocate(block);
}
#endif

}  // namespace

void* allocate(size_t bytes) {
  if (bytes == 0) bytes = 1;
  const bool refused = countdown.load(std::memory_order_relaxed) > 0 && countdown.fetch_sub(1) == 1;
  void* block =
      refused || bytes > most_served.load(std::memory_order_relaxed) ? nullptr : take(bytes);
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
  return {all.live, all.peak, all.allocations, reserved.load(std::memory_order_relaxed)};
}
void release_cached() { large().release(); }
void fail_allocation(int64_t n) { countdown = n; }

RequestLimit::RequestLimit(size_t bytes) : before_(most_served.exchange(bytes)) {}
RequestLimit::~RequestLimit() { most_served = before_; }

}  // namespace slope::memory
