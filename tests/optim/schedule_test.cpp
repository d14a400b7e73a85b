// Schedules at the edges of their arguments; golden_test.cpp compares all rates with PyTorch's.
#include <doctest/doctest.h>
#include <slope/optim/plateau.h>
#include <slope/optim/schedule.h>

#include <limits>

using namespace slope;
using namespace slope::optim;

TEST_CASE("schedules: cosine_restarts with a factor below 1 or a huge one ends") {
  for (const int64_t factor : {0, -1})
    for (const int64_t step : {0, 3, 10, 25})
      CHECK(cosine_restarts(step, 10, factor) == cosine_restarts(step, 10, 1));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(cosine_restarts(5, 10, most) == doctest::Approx(0.5));
  for (const int64_t factor : {int64_t{1} << 32, most})
    for (const int64_t step : {int64_t{10}, most}) {
      const double rate = cosine_restarts(step, 10, factor);
      CHECK((rate >= 0 && rate <= 1));
    }
}

TEST_CASE("schedules: cyclic without steps up or down") {
  const double without_up[] = {1, 0.7, 0.4, 1, 0.7, 0.4};
  const double without_down[] = {0.1, 0.4, 0.7, 0.1, 0.4, 0.7};  // PyTorch's
  for (int64_t step = 0; step < 6; ++step) {
    CHECK(cyclic(step, {.up = 0, .down = 3}) == doctest::Approx(without_up[step]));
    CHECK(cyclic(step, {.up = 3, .down = 0}) == doctest::Approx(without_down[step]));
    CHECK(cyclic(step, {.up = 0, .down = 0}) == 1);
  }
}

TEST_CASE("schedules: swa over 0 steps and polynomial with power 0 are PyTorch's") {
  CHECK(swa(0, 0, 0.1) == 0.1);
  CHECK(swa(0, 0, 0.1, false) == 0.1);
  CHECK(swa(0, 2, 0.1) == 1);
  CHECK(swa(1, 2, 0.1) == doctest::Approx(0.55));
  CHECK(swa(2, 2, 0.1) == 0.1);
  for (const int64_t step : {0, 2, 3, 4}) CHECK(polynomial(step, 3, 0) == 1);
  CHECK(polynomial(3, 3, 1) == 0);
}

TEST_CASE("schedules: sequential needs a milestone between each two schedules") {
  const Schedule one = [](int64_t) { return 1.0; };
  CHECK_THROWS_AS((void)sequential(0, {}, {}), UsageError);
  CHECK_THROWS_AS((void)sequential(0, {one}, {3}), UsageError);
  CHECK_THROWS_AS((void)sequential(0, {one, one}, {}), UsageError);
  CHECK(sequential(5, {one, [](int64_t t) { return static_cast<double>(t); }}, {3}) == 2);
}

TEST_CASE("plateau: a first metric that is infinite is no improvement") {
  optim::ReduceOnPlateau p({.patience = 1});
  CHECK(p.step(INFINITY) == 1);
  CHECK(p.step(INFINITY) == 0.1);
}

TEST_CASE("plateau: a least factor above the present one does not raise it") {
  ReduceOnPlateau above({.factor = 0.5, .patience = 0, .least = 2});
  for (int epoch = 0; epoch < 3; ++epoch) CHECK(above.step(1) == 1);
  ReduceOnPlateau loaded({.factor = 0.5, .patience = 0, .least = 0.2});
  loaded.load_state({.factor = 0.1, .best = 1});
  CHECK(loaded.step(1) == 0.1);
}
