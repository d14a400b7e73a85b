// parallel_for: every element once, in the promised chunks, for any number of threads; exceptions;
// nested loops.
#include <doctest/doctest.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/module_path.h>
#include <slope/tests/threads.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>
#if !defined(SLOPE_PLAIN)
#include <thread>
#endif

using namespace slope;

namespace {

constexpr Sharing both[] = {Sharing::own_part_first, Sharing::in_order};

#if !defined(SLOPE_PLAIN)
// Whether it becomes true soon: threads may have to wait for a core, but not forever.
template <class F>
bool soon(const F& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition())
    if (std::chrono::steady_clock::now() > until)
      return false;
    else
      std::this_thread::yield();
  return true;
}

template <class F>
void for_two_threads(const F& f) {  // does nothing if loops have one thread
  const KeepThreads restore;
  for (Sharing sharing : both) {
    set_num_threads(2);
    if (num_threads() == 2) f(sharing);
  }
}
#endif

}  // namespace

TEST_CASE("parallel_for: each element once, in chunks that depend on n and grain alone") {
  const KeepThreads restore;
  for (int threads : {1, 2, 3, 7, 40})
    for (Sharing sharing : both)
      for (int64_t n : {1, 7, 64, 1001})
        for (int64_t grain : {1, 10, 2000}) {
          set_num_threads(threads);
          std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
          std::atomic<int> odd{0};
          parallel_for(
              n, grain,
              [&](int64_t begin, int64_t end) {
                odd += begin % grain != 0 || end != std::min(n, begin + grain);
                for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
              },
              sharing);
          int wrong = 0;
          for (const auto& v : visits) wrong += v != 1;
          INFO("threads ", threads, " n ", n, " grain ", grain, " in order ",
               sharing == Sharing::in_order);
          CHECK(wrong == 0);
          CHECK(odd == 0);
        }
}

TEST_CASE(
    "parallel_for: of several exceptions that of the lowest chunk arrives, and loops go on "
    "working") {
  const KeepThreads restore;
  for (int threads : {1, 2, 5})
    for (Sharing sharing : both) {
      set_num_threads(threads);
      for (int round = 0; round < 20; ++round) {
        std::string what;
        try {
          parallel_for(
              200, 1,
              [](int64_t i, int64_t) {
                if (i % 50 == 37) throw std::runtime_error(std::to_string(i));
              },
              sharing);
        } catch (const std::runtime_error& e) {
          what = e.what();
        }
        CHECK(what == "37");
      }
      std::atomic<int64_t> sum{0};
      parallel_for(
          100, 1, [&](int64_t i, int64_t) { sum += i; }, sharing);
      CHECK(sum == 4950);
    }
}

TEST_CASE("parallel_for: every chunk runs in the caller's module") {
  const KeepThreads restore;
  for (int threads : {1, 2, 5})
    for (const char* path : {intern_path("head.out"), static_cast<const char*>(nullptr)}) {
      set_num_threads(threads);
      set_current_module(path);
      std::atomic<int> elsewhere{0};
      parallel_for(200, 1, [&](int64_t, int64_t) { elsewhere += current_module() != path; });
      set_current_module(nullptr);
      CHECK(elsewhere == 0);
    }
}

#if !defined(SLOPE_PLAIN)
TEST_CASE("parallel_for: a loop within a loop runs on the thread that meets it") {
  const KeepThreads restore;
  set_num_threads(3);
  std::atomic<int> elsewhere{0}, visits{0};
  parallel_for(20, 1, [&](int64_t, int64_t) {
    const auto self = std::this_thread::get_id();
    int64_t next = 0;
    parallel_for(20, 1, [&](int64_t i, int64_t) {
      elsewhere += std::this_thread::get_id() != self || i != next++;
      ++visits;
    });
  });
  CHECK(elsewhere == 0);
  CHECK(visits == 400);
}

TEST_CASE(
    "parallel_for: two threads begin with the first chunks of their own parts, or with the first "
    "two of all") {
  for_two_threads([](Sharing sharing) {
    std::atomic<int> begun{0};
    std::atomic<int64_t> sum_of_first{0};
    const auto chunk = [&](int64_t i, int64_t) {
      if (begun.fetch_add(1) >= 2) return;
      sum_of_first += i;
      CHECK(soon([&] { return begun >= 2; }));
    };
    parallel_for(100, 1, chunk, sharing);
    CHECK(sum_of_first == (sharing == Sharing::in_order ? 0 + 1 : 0 + 50));
  });
}

TEST_CASE("parallel_for: a thread whose part is done helps with the others'") {
  for_two_threads([](Sharing sharing) {
    std::atomic<int> done{0};
    const auto chunk = [&](int64_t i, int64_t) {
      if (i == 0) CHECK(soon([&] { return done == 99; }));
      ++done;
    };
    parallel_for(100, 1, chunk, sharing);
    CHECK(done == 100);
  });
}
#endif
