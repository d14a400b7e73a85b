// What an update takes from the gradient, and the averages and factors that it keeps, saves and
// reads back.
#include <doctest/doctest.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/train/updater.h>
#include <slope/tests/models/idle_task.h>
#include <slope/tests/temporary_folder.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace slope;
using namespace slope::train;

namespace {

// A task whose model.safetensors holds the weight 64.
struct OneWeight : test::IdleTask {
  Tensor w = full({1}, 64.0, f64).set_requires_grad();
  NamedTensors listed = {{"w", w}};
  const NamedTensors& parameters() const override { return listed; }
};

// An updater that has read this state.safetensors, saved after so many updates.
struct LoadedModel {
  OneWeight task;
  Updater updater;
  LoadedModel(const NamedTensors& state, const TrainSettings& settings, int64_t updates = 0)
      : updater(task.parameters(), settings) {
    const test::TemporaryFolder folder;
    save_safetensors(folder.file("state.safetensors"), state);
    updater.load(folder.path(), task, updates);
  }
};

}  // namespace

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

TEST_CASE("updater: a state without the weights beside an average that has begun is refused") {
  TrainSettings settings;
  settings.optimizer = "sgd";
  settings.swa_start = 5;
  const NamedTensors without = {{"other", zeros({1})}};
  CHECK(LoadedModel(without, settings, 4).task.w.to_vector()[0] == 64);
  CHECK_THROWS_WITH_AS(
      LoadedModel(without, settings, 5),
      doctest::Contains("state.safetensors: holds 0 weights beside the average, the model has 1"),
      InputError);
  LoadedModel whole({{"weight.w", full({1}, 3.0, f64)}}, settings, 5);
  CHECK(whole.task.w.to_vector()[0] == 3);
  whole.updater.with_average([&] { CHECK(whole.task.w.to_vector()[0] == 64); });
}

TEST_CASE("updater: the state of the schedule plateau is read back, and refused if it cannot be") {
  TrainSettings settings;
  settings.schedule = "plateau";
  const auto factor = [&](const Tensor& state) {
    return LoadedModel({{"plateau", state}}, settings).updater.lr_factor();
  };
  CHECK(factor(tensor({0.25, 1.5, 2.0, 3.0}, f64)) == 0.25);
  CHECK(factor(tensor({1.0, NAN, 0.0, 0.0}, f64)) == 1);  // before the first validation
  for (const Tensor& bad : {tensor({NAN, 1.0, 0.0, 0.0}, f64), tensor({-1.0, 1.0, 0.0, 0.0}, f64),
                            tensor({1.1, 1.0, 0.0, 0.0}, f64), tensor({1.0, 1.0, 1e300, 0.0}, f64),
                            tensor({1.0, 1.0, 0.0, -1e300}, f64)})
    CHECK_THROWS_WITH_AS(factor(bad), doctest::Contains("the factor must be from 0 to 1"),
                         InputError);
}

TEST_CASE("updater: counts of L-BFGS that no run reaches are refused") {
  TrainSettings settings;
  settings.optimizer = "lbfgs";
  const auto load = [&](int64_t n_iter, int64_t func_evals) {
    LoadedModel({{"optimizer.lbfgs.n_iter", tensor(n_iter)},
                 {"optimizer.lbfgs.func_evals", tensor(func_evals)}},
                settings);
  };
  load(0, 7);
  for (const int64_t bad : {int64_t{-1}, int64_t{1} << 53, INT64_MAX}) {
    CHECK_THROWS_WITH_AS(load(bad, 0), doctest::Contains("lbfgs.n_iter must be from 0"),
                         InputError);
    CHECK_THROWS_WITH_AS(load(0, bad), doctest::Contains("lbfgs.func_evals must be from 0"),
                         InputError);
  }
}
