// What an update takes from the gradient, and the averages and factors that it keeps.
#include <doctest/doctest.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/train/updater.h>

#include <algorithm>
#include <vector>

using namespace slope;
using namespace slope::train;

TEST_CASE("updater: a step takes of the gradient what clipping leaves, and only that step") {
  TrainSettings settings;
  settings.optimizer = "sgd";
  const Tensor w = zeros({2}, f64).set_requires_grad();
  Updater updater({{"w", w}}, settings);
  const auto step = [&](double largest_norm) {
    w.set_grad(tensor({30.0, 40.0}, f64));
    CHECK(updater.clip(largest_norm) == doctest::Approx(50));
    const std::vector<double> before = w.to_vector();
    updater.step(0.1, 0);
    CHECK(!w.grad().defined());
    return std::vector<double>{before[0] - w.to_vector()[0], before[1] - w.to_vector()[1]};
  };
  const auto check = [](const std::vector<double>& moved, double first, double second) {
    CHECK(moved[0] == doctest::Approx(first).epsilon(1e-6));
    CHECK(moved[1] == doctest::Approx(second).epsilon(1e-6));
  };
  check(step(5), 0.3, 0.4);
  check(step(100), 3, 4);
  check(step(5), 0.3, 0.4);
  check(step(0), 3, 4);
  updater.clip(5);
  updater.step(0.1, 0);  // without gradients nothing moves, but the factor is consumed
  w.set_grad(tensor({30.0, 40.0}, f64));
  const std::vector<double> before = w.to_vector();
  updater.step(0.1, 0);
  CHECK(before[0] - w.to_vector()[0] == doctest::Approx(3));
}

TEST_CASE("updater: the average soon forgets the random start") {
  TrainSettings settings;
  settings.optimizer = "sgd";
  settings.average = 0.999;
  const Tensor w = full({1}, 100.0, f64).set_requires_grad();
  Updater updater({{"w", w}}, settings);
  double average = 100;
  for (int64_t t = 0; t < 50; ++t) {
    w.set_grad(w.detach());
    updater.step(0.5, t);  // w is halved each time
    const double decay = std::min(0.999, static_cast<double>(t + 1) / static_cast<double>(t + 10));
    average += (1 - decay) * (w.to_vector()[0] - average);
    updater.with_average([&] { CHECK(w.to_vector()[0] == doctest::Approx(average)); });
  }
  CHECK(average < 0.01);  // 95.2 with a constant decay
}

TEST_CASE("updater: SWA is the mean of the weights of every n-th step from its start on") {
  TrainSettings settings;
  settings.optimizer = "sgd";
  settings.swa_start = 3;
  settings.swa_every = 2;
  const Tensor w = full({1}, 64.0, f64).set_requires_grad();
  Updater updater({{"w", w}}, settings);
  std::vector<double> used;
  for (int64_t t = 0; t < 7; ++t) {
    w.set_grad(w.detach());
    updater.step(0.5, t);  // 32, 16, 8, 4, 2, 1, 0.5 after steps 1 to 7
    updater.with_average([&] { used.push_back(w.to_vector()[0]); });
  }
  CHECK(used == std::vector<double>{32, 16, 8, 8, 5, 5, 3.5});
}

TEST_CASE("updater: the factor of the schedule plateau falls with validations, and none other") {
  TrainSettings settings;
  settings.schedule = "plateau";
  settings.gamma = 0.5;
  settings.plateau_patience = 1;
  settings.lr = 0.1;
  settings.lr_min = 0.03;
  const Tensor w = zeros({1}, f64).set_requires_grad();
  Updater updater({{"w", w}}, settings);
  std::vector<double> factors;
  for (const double loss : {3.0, 2.0, 2.0, 2.5, 1.0, 4.0, 4.0, 4.0, 4.0}) {
    updater.validated(loss);
    factors.push_back(updater.lr_factor());
  }
  CHECK(factors == std::vector<double>{1, 1, 1, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3});
  settings.schedule = "cosine";
  Updater other({{"w", w}}, settings);
  for (int i = 0; i < 5; ++i) other.validated(1);
  CHECK(other.lr_factor() == 1);
}
