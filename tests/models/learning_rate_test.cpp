// The learning rate of each step: the warm-up, then the schedule that the settings name.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/run/train_settings.h>

#include <cmath>
#include <numbers>

using namespace slope;
using namespace slope::train;

TEST_CASE("learning rate: each schedule with settings of its own, after a warm-up of 2 steps") {
  TrainSettings t;
  t.lr = 0.4;
  t.warmup = 2;
  const auto rates = [&](const char* schedule) {
    t.schedule = schedule;
    std::vector<double> all;
    for (int64_t step = 1; step <= 12; ++step) all.push_back(learning_rate(t, step, 12));
    return all;
  };
  const auto check = [&](const char* schedule, int64_t step, double rate) {
    CAPTURE(schedule);
    CAPTURE(step);
    CHECK(rates(schedule)[static_cast<size_t>(step - 1)] == doctest::Approx(rate));
  };
  t.step_size = 3;
  t.gamma = 0.5;
  check("step", 1, 0.2);
  check("step", 5, 0.4);
  check("step", 6, 0.2);
  t.milestones = "6,9";
  check("multistep", 6, 0.4);
  check("multistep", 7, 0.2);
  check("multistep", 10, 0.1);
  check("exponential", 4, 0.2);
  t.power = 2;
  check("polynomial", 8, 0.1);
  t.restart_steps = 4;
  check("cosine_restarts", 5, 0.2);
  check("cosine_restarts", 7, 0.4);
  t.rise_share = 0.5;
  check("one_cycle", 3, 0.4 / 25);
  check("one_cycle", 7, 0.4);
  t.decay_share = 0.4;
  check("wsd", 9, 0.4);
  check("wsd", 11, 0.2);
  t.noam_d_model = 4;
  check("noam", 1, 0.2 / std::sqrt(8.0));
  check("noam", 8, 0.2 / std::sqrt(8.0));
  t.milestones = "9,6";
  CHECK_THROWS_WITH_AS(milestones_of(t),
                       "--milestones 9,6: expected steps in increasing order, such as 1000,1500",
                       UsageError);
}

TEST_CASE("learning rate: it rises linearly to lr, then follows its schedule from lr on") {
  TrainSettings t;
  t.lr = 0.4;
  t.warmup = 4;
  t.lr_min = 0.1;
  const auto rate = [&](int64_t step) { return doctest::Approx(learning_rate(t, step, 12)); };
  for (const char* schedule : {"constant", "cosine", "linear", "inverse_sqrt"}) {
    CAPTURE(schedule);
    t.schedule = schedule;
    CHECK(rate(1) == 0.1);
    CHECK(rate(2) == 0.2);
    CHECK(rate(4) == 0.4);
  }
  t.schedule = "constant";
  CHECK(rate(12) == 0.4);
  t.schedule = "linear";
  CHECK(rate(5) == 0.4);
  CHECK(rate(9) == 0.25);     // half way down
  CHECK(rate(12) == 0.1375);  // the last step is still one
  t.schedule = "cosine";
  CHECK(rate(9) == 0.25);
  CHECK(rate(12) == 0.1 + 0.3 * 0.5 * (1 + std::cos(std::numbers::pi * 7 / 8)));
  t.schedule = "inverse_sqrt";
  CHECK(rate(12) == 0.4 * std::sqrt(4.0 / 12));
  t.warmup = 0;
  CHECK(rate(1) == 0.4);
}

TEST_CASE("learning rate: a sequence follows each of its schedules from where it begins") {
  TrainSettings t;
  t.lr = 0.4;
  t.warmup = 2;
  t.schedule = "sequential";
  t.schedules = "constant,linear,exponential";
  t.milestones = "4,8";
  t.lr_min = 0.2;
  t.gamma = 0.5;
  const auto rate = [&](int64_t step) { return doctest::Approx(learning_rate(t, step, 12)); };
  CHECK(rate(1) == 0.2);
  for (const int64_t step : {2, 3, 4, 5}) CHECK(rate(step) == 0.4);
  CHECK(rate(7) == 0.3);  // half way from step 4 to step 8
  CHECK(rate(9) == 0.4);  // the next one begins at lr
  CHECK(rate(12) == 0.05);
  check_settings(t, 12);
  const auto refused = [&](const char* schedules, const char* milestones, const char* message) {
    t.schedules = schedules;
    t.milestones = milestones;
    CHECK_THROWS_WITH_AS(check_settings(t, 12), message, UsageError);
  };
  refused("constant,cosinus", "4",
          "--schedules constant,cosinus: cosinus cannot be part of a sequence; choose from "
          "constant, cosine, cosine_restarts, exponential, inverse_sqrt, linear, noam, one_cycle, "
          "polynomial, step, wsd");
  refused("constant,linear,step", "4",
          "--schedules constant,linear,step: 3 schedules need 2 milestones, at which the next one "
          "begins, but --milestones 4 has 1");
  refused("constant,linear", "2", "--milestones 2: the first is not after the warm-up of 2 steps");
}

TEST_CASE("learning rate: the weights have one average, which begins before the run ends") {
  TrainSettings t;
  t.average = 0.9;
  t.swa_start = 3;
  CHECK_THROWS_WITH_AS(check_settings(t, 12),
                       "train: --average is an exponential average of the weights, --swa-start "
                       "their mean; give only one of them",
                       UsageError);
  t.average = 0;
  check_settings(t, 3);
  CHECK_THROWS_WITH_AS(check_settings(t, 2),
                       "train: --swa-start 3: the run ends after 2 steps; 0 takes no mean",
                       UsageError);
}
