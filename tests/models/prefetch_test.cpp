#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/prefetch.h>

#include <atomic>
#include <memory>

using slope::data::Prefetch;

TEST_CASE("prefetch: items come in order, from any start, with any depth") {
  for (size_t depth : {1, 2, 7}) {
    Prefetch<std::unique_ptr<int64_t>> squares(
        [](int64_t k) { return std::make_unique<int64_t>(k * k); }, 5, depth);
    for (int64_t k = 5; k < 200; ++k) {
      CHECK(squares.position() == k);
      CHECK(*squares.next() == k * k);
    }
  }
}

TEST_CASE("prefetch: no more than the queue, one in work and those consumed are produced") {
  std::atomic<int64_t> produced = 0;
  {
    Prefetch<int64_t> numbers([&](int64_t k) { return ++produced, k; }, 0, 3);
    for (int i = 0; i < 10; ++i) (void)numbers.next();
    while (produced < 14) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(produced == 14);
    CHECK(numbers.position() == 10);
  }
  CHECK(produced == 14);
}

TEST_CASE("prefetch: an exception arrives at its position, after the items before it, and stays") {
  Prefetch<int64_t> numbers([](int64_t k) {
    if (k == 3) throw slope::InputError("bad item 3");
    return k;
  });
  for (int64_t k = 0; k < 3; ++k) CHECK(numbers.next() == k);
  for (int again = 0; again < 2; ++again)
    CHECK_THROWS_WITH_AS((void)numbers.next(), "bad item 3", slope::InputError);
  CHECK(numbers.position() == 3);
}

TEST_CASE("prefetch: stops at once, whether nothing, something or an error waits") {
  for (int consumed = 0; consumed < 3; ++consumed)
    for (int i = 0; i < 50; ++i) {
      Prefetch<std::string> texts([](int64_t k) -> std::string {
        if (k == 4) throw slope::InputError("end");
        return std::string(1000, 'x');
      });
      for (int k = 0; k < consumed; ++k) CHECK(texts.next().size() == 1000);
    }
}
