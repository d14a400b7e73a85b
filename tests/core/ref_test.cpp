// Ref: the last reference destroys the object, exactly once, on whichever thread.
#include <doctest/doctest.h>
#include <slope/core/memory/ref.h>

#include <vector>
#if !defined(SLOPE_PLAIN)
#include <thread>
#endif

using namespace slope;

namespace {

struct Counted : RefCounted {
  explicit Counted(int* ends, int threads = 0) : ends(ends), marks(static_cast<size_t>(threads)) {}
  static void destroy(Counted* counted) {
    *counted->ends += 1;
    // writes of other threads are visible here
    for (const int mark : counted->marks) *counted->ends += mark;
    delete counted;
  }
  int* ends;
  std::vector<int> marks;
};

}  // namespace

TEST_CASE("ref: copies, moves and assignments share one object, which ends with the last") {
  int ends = 0;
  {
    Ref<Counted> a(new Counted(&ends)), b = a, none;
    CHECK(a->ref_count() == 2);
    Ref<Counted> moved = std::move(b);
    CHECK(!b);
    CHECK(a->ref_count() == 2);
    CHECK(moved == a);
    moved = none;
    CHECK(a->ref_count() == 1);
    a = Ref<Counted>(a.get());  // assigned to itself
    CHECK(a->ref_count() == 1);
    CHECK(ends == 0);
    moved = Ref<Counted>(new Counted(&ends));
    moved = a;
    CHECK(ends == 1);
  }
  CHECK(ends == 2);
}

#if !defined(SLOPE_PLAIN)
TEST_CASE(
    "ref: many threads that copy and drop it end the object once, after all that they wrote") {
  constexpr int threads = 4, rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    int ends = 0;
    std::vector<std::thread> all;
    {
      const Ref<Counted> shared(new Counted(&ends, threads));
      for (size_t t = 0; t < threads; ++t)
        all.emplace_back([mine = shared, t]() mutable {
          for (int i = 0; i < 100; ++i) Ref<Counted> copy = mine;
          mine->marks[t] = 1;
          mine = Ref<Counted>();
        });
    }
    for (std::thread& thread : all) thread.join();
    CHECK(ends == 1 + threads);
  }
}
#endif
