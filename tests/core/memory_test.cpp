// The allocator: what it counts, what it reuses, and that no pattern of use makes it grow without
// bound.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/core/memory/large_blocks.h>
#include <slope/core/memory/memory.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

#if !defined(SLOPE_PLAIN)
#include <atomic>
#include <future>
#include <thread>
#endif

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace slope;

#if !defined( \
    SLOPE_SANITIZED)  // a sanitizer brings its own, and slope takes every block from the system
namespace {
thread_local int heap_countdown = 0;  // 1: the next heap allocation fails
}

void* operator new(size_t bytes) {
  if (heap_countdown > 0 && --heap_countdown == 0) throw std::bad_alloc();
  if (void* block = std::malloc(bytes > 0 ? bytes : 1)) return block;
  throw std::bad_alloc();
}
// Not inlined: otherwise g++ warns that free does not match new.
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }
#endif

namespace {

constexpr size_t sizes[] = {1, 64, 65, 1000, 1024, 1025, 5000, 65536, 65537, 1 << 20, 20 << 20};

#if defined(__linux__)
[[maybe_unused]] int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}
#endif

}  // namespace

TEST_CASE("memory: blocks are aligned to 64 bytes, apart from each other, and counted") {
  const memory::Stats before = memory::stats();
  std::vector<void*> blocks;
  int64_t bytes = 0;
  for (int round = 0; round < 3; ++round)
    for (size_t size : sizes) {
      blocks.push_back(memory::allocate(size));
      CHECK(reinterpret_cast<uintptr_t>(blocks.back()) % 64 == 0);
      std::memset(blocks.back(), static_cast<int>(blocks.size()), size);
      bytes += static_cast<int64_t>(size);
    }
  CHECK(memory::stats().live - before.live == bytes);
  CHECK(memory::stats().peak >= memory::stats().live);
  CHECK(memory::stats().allocations - before.allocations == static_cast<int64_t>(blocks.size()));
  for (size_t k = 0; k < blocks.size(); ++k) {
    const size_t size = sizes[k % std::size(sizes)];
    const auto* bytes_of = static_cast<const unsigned char*>(blocks[k]);
    CHECK(bytes_of[0] == k + 1);  // nothing else wrote here
    CHECK(bytes_of[size - 1] == k + 1);
    memory::deallocate(blocks[k], size);
  }
  CHECK(memory::stats().live == before.live);
}

TEST_CASE(
    "memory: what is freed is used again: the same work twice takes nothing more from the system") {
  const auto work = [] {
    std::vector<void*> blocks;
    for (int k = 0; k < 200; ++k)
      for (size_t size : sizes)
        if (size < 1 << 20) blocks.push_back(memory::allocate(size));
    for (size_t k = 0; k < blocks.size(); ++k) memory::deallocate(blocks[k], sizes[k % 9]);
  };
  work();
  const int64_t reserved = memory::stats().reserved;
  for (int round = 0; round < 5; ++round) work();
  CHECK(memory::stats().reserved == reserved);
}

#if !defined(SLOPE_PLAIN)
TEST_CASE("memory: blocks that one thread allocates and another frees do not pile up") {
  constexpr size_t count = 20'000;
  std::vector<void*> blocks(count);
  int64_t settled = 0;
  for (int round = 0; round < 20; ++round) {
    for (void*& block : blocks) block = memory::allocate(200);
    std::thread([&] {
      for (void* block : blocks) memory::deallocate(block, 200);
    }).join();
    if (round == 1) settled = memory::stats().reserved;
  }
  CHECK(memory::stats().reserved <= settled + (1 << 20));
  for (int round = 0; round < 20; ++round) {
    std::thread producer([&] {
      for (void*& block : blocks) block = memory::allocate(200);
    });
    producer.join();
    for (void* block : blocks)
      memory::deallocate(block, 200);  // this thread goes on, and gives back what it does not need
  }
  CHECK(memory::stats().reserved <= settled + (1 << 20));
}

#if defined(__linux__) && !defined(SLOPE_SANITIZED)
TEST_CASE("memory: a forked child allocates, whatever other threads do while it is made") {
  std::atomic<bool> done{false};
  const auto allocate_all = [] {
    for (size_t bytes : {size_t{1000}, size_t{5000}, size_t{1} << 20}) {
      std::vector<void*> blocks(100);
      for (void*& block : blocks) block = memory::allocate(bytes);
      for (void* block : blocks) memory::deallocate(block, bytes);
    }
  };
  std::thread other([&] {
    while (!done) allocate_all();
  });
  int stuck = 0;
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends one that waits for ever
      allocate_all();
      _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    stuck += status != 0;
  }
  done = true;
  other.join();
  CHECK(stuck == 0);
}
#endif

TEST_CASE(
    "memory: what ended threads allocated and freed is counted to the byte, what others do to "
    "within 64 KiB and 1024 calls") {
  const memory::Stats before = memory::stats();
  void* block = nullptr;
  std::thread([&] { block = memory::allocate(5000); }).join();
  CHECK(memory::stats().live - before.live == 5000);
  CHECK(memory::stats().allocations - before.allocations == 1);
  std::thread([&] { memory::deallocate(block, 5000); }).join();
  CHECK(memory::stats().live == before.live);

  constexpr int64_t calls = 10'000;
  std::promise<void> done, end;
  std::thread other([&] {
    for (int64_t i = 0; i < calls; ++i) memory::deallocate(memory::allocate(100), 100);
    block = memory::allocate(60'000);
    done.set_value();
    end.get_future().wait();
    memory::deallocate(block, 60'000);
  });
  done.get_future().wait();
  const memory::Stats meanwhile = memory::stats();
  CHECK(std::abs(meanwhile.live - before.live - 60'000) <= 64 << 10);
  CHECK(meanwhile.allocations - before.allocations >= calls - 1024);
  end.set_value();
  other.join();
  CHECK(memory::stats().live == before.live);
  CHECK(memory::stats().allocations - before.allocations == 1 + calls + 1);
}
#endif

TEST_CASE("memory: the n-th allocation fails once, naming the request; an impossible one always") {
  memory::fail_allocation(2);
  void* first = memory::allocate(10);
  CHECK_THROWS_WITH_AS(static_cast<void>(memory::allocate(4321)), doctest::Contains("4321 bytes"),
                       MemoryError);
  void* third = memory::allocate(10);
  memory::deallocate(first, 10);
  memory::deallocate(third, 10);
  CHECK_THROWS_AS(static_cast<void>(memory::allocate(SIZE_MAX / 2)), MemoryError);
}

TEST_CASE("memory: a limit on requests refuses larger ones while it lives") {
  {
    const memory::RequestLimit limit(100'000);
    memory::deallocate(memory::allocate(100'000), 100'000);
    CHECK_THROWS_WITH_AS(static_cast<void>(memory::allocate(100'001)),
                         doctest::Contains("100001 bytes"), MemoryError);
    {
      const memory::RequestLimit inner(10);
      CHECK_THROWS_AS(static_cast<void>(memory::allocate(11)), MemoryError);
    }
    memory::deallocate(memory::allocate(11), 11);
  }
  memory::deallocate(memory::allocate(100'001), 100'001);
}

#if !defined(SLOPE_SANITIZED)
TEST_CASE(
    "memory: an exhausted heap makes an allocation fail, with a MemoryError, and never a "
    "deallocation") {
  std::vector<std::pair<unsigned char*, size_t>> blocks;
  blocks.reserve(1000);
  for (int k = 1; k <= 4; ++k)
    for (const size_t bytes : {size_t{70'000}, size_t{1} << 20, size_t{100} << 20,
                               size_t{5} << 20}) {  // cut from larger blocks, or new
      bool refused = false;
      heap_countdown = k;
      try {
        blocks.emplace_back(static_cast<unsigned char*>(memory::allocate(bytes)), bytes);
      } catch (const MemoryError&) {
        refused = true;
      }
      const bool failed = std::exchange(heap_countdown, 0) == 0;
      CHECK(refused == failed);
      if (blocks.empty()) continue;
      blocks.back().first[0] = blocks.back().first[blocks.back().second - 1] =
          static_cast<unsigned char>(blocks.size());
    }
  CHECK(!blocks.empty());
  for (size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i].first[0] == i + 1);
    CHECK(blocks[i].first[blocks[i].second - 1] == i + 1);
  }
  for (const auto& [block, bytes] : blocks) {
    heap_countdown = 1;
    memory::deallocate(block, bytes);
    heap_countdown = 0;
  }
  void* again = memory::allocate(size_t{100} << 20);
  memory::deallocate(again, size_t{100} << 20);
}
#endif

TEST_CASE("memory: the peak can be reset to what is live") {
  void* block = memory::allocate(8 << 20);
  memory::deallocate(block, 8 << 20);
  memory::reset_peak();
  CHECK(memory::stats().peak == memory::stats().live);
}

#if !defined(SLOPE_SANITIZED)
TEST_CASE(
    "memory: large blocks that were freed side by side serve a larger one; what is released goes "
    "back and can be had again") {
  constexpr size_t piece = 20 << 20, count = 10;
  memory::release_cached();
  void* whole = memory::allocate(count * piece);
  memory::deallocate(whole, count * piece);
  const int64_t reserved = memory::stats().reserved;
  std::vector<void*> blocks;
  for (size_t k = 0; k < count; ++k) blocks.push_back(memory::allocate(piece));
  for (void* block : blocks) memory::deallocate(block, piece);
  whole = memory::allocate(count * piece);
  CHECK(memory::stats().reserved == reserved);
  std::memset(whole, 1, count * piece);
#if defined(__linux__)
  const int64_t resident = resident_bytes();
#endif
  memory::deallocate(whole, count * piece);

  void* kept = memory::allocate(piece);
  std::memset(kept, 2, piece);
  memory::release_cached();
#if defined(__linux__)
  CHECK(resident_bytes() <= resident - static_cast<int64_t>((count - 2) * piece));
#endif
  whole = memory::allocate((count - 1) * piece);
  std::memset(whole, 3, (count - 1) * piece);
  CHECK(memory::stats().reserved <= reserved);
  CHECK(static_cast<unsigned char*>(kept)[piece - 1] == 2);
  memory::deallocate(whole, (count - 1) * piece);
  memory::deallocate(kept, piece);
}
#endif

#if defined(__linux__) && !defined(SLOPE_SANITIZED)
TEST_CASE(
    "memory: under a limit on addresses, those held in reserve serve a block that needs them") {
  constexpr size_t left = size_t{1} << 30;
  const pid_t child = fork();
  if (child == 0) {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + left;
    setrlimit(RLIMIT_AS, &limit);
    memory::LargeBlocks blocks;
    const bool served = blocks.allocate(1 << 20) && blocks.allocate(left / 16 * 15);
    _exit(served ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif
