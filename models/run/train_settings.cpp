#include <slope/core/error.h>
#include <slope/core/text/items.h>
#include <slope/core/text/parse_number.h>
#include <slope/core/text/visible.h>
#include <slope/models/run/train_settings.h>
#include <slope/optim/schedule.h>

#include <fmt/ranges.h>

#include <algorithm>

namespace slope::train {

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::set<std::string>& some) {
  std::erase_if(names, [&](const std::string& name) { return some.contains(name); });
  return names;
}

namespace {

// The factor of lr in step `step` of the run (from 1), where `schedule` covers the steps begin + 1
// to end, after a warm-up of `warmup` steps.
double factor_of(const TrainSettings& t, const std::string& schedule, int64_t step, int64_t begin,
                 int64_t end, int64_t warmup) {
  const int64_t done = step - 1 - begin, length = std::max<int64_t>(1, end - begin),
                since_start = done + warmup;
  const double least = t.lr > 0 ? t.lr_min / t.lr : 0;
  if (schedule == "cosine") return optim::cosine(done, length, least);
  if (schedule == "linear") return optim::linear(done, length, 1, least);
  if (schedule == "inverse_sqrt") return optim::inverse_sqrt(since_start, warmup);
  if (schedule == "noam") return optim::noam(since_start, t.noam_d_model, t.warmup);
  if (schedule == "step") return optim::step_decay(done, t.step_size, t.gamma);
  if (schedule == "multistep") return optim::multistep(since_start, milestones_of(t), t.gamma);
  if (schedule == "exponential") return optim::exponential(done, t.gamma);
  if (schedule == "polynomial") return optim::polynomial(done, length, t.power);
  if (schedule == "cosine_restarts")
    return optim::cosine_restarts(done, t.restart_steps, t.restart_factor, least);
  if (schedule == "one_cycle")
    return optim::one_cycle(done, length,
                            {.pct_start = t.rise_share,
                             .div_factor = t.div_factor,
                             .final_div_factor = t.final_div_factor});
  if (schedule == "wsd")
    return optim::wsd(done, 0, length, std::llround(t.decay_share * static_cast<double>(length)),
                      least);
  return 1;
}

// The factor of lr by the schedule of the sequence that covers `step`.
double sequential_factor(const TrainSettings& t, int64_t step, int64_t total) {
  const std::vector<int64_t> milestones = milestones_of(t);
  const auto next = std::upper_bound(milestones.begin(), milestones.end(), step - 1);
  const auto i = static_cast<size_t>(next - milestones.begin());
  const int64_t warmup = i == 0 ? t.warmup : 0, begin = i == 0 ? t.warmup : milestones[i - 1];
  return factor_of(t, items_of(t.schedules)[i], step, begin,
                   next == milestones.end() ? total : *next, warmup);
}

void check_sequence(const TrainSettings& t) {
  const std::vector<std::string> known = without(schedule_names(),
                                                 {"multistep", "plateau", "sequential"}),
                                 names = items_of(t.schedules);
  for (const std::string& name : names)
    SLOPE_CHECK_AS(UsageError, std::find(known.begin(), known.end(), name) != known.end(),
                   "--schedules {}: {} cannot be part of a sequence; choose from {}", t.schedules,
                   quoted_if_empty(name), fmt::join(known, ", "));
  const size_t n = milestones_of(t).size();
  SLOPE_CHECK_AS(UsageError, names.size() == n + 1,
                 "--schedules {}: {} schedules need {} milestones, at which the next one begins, "
                 "but --milestones {} has {}",
                 t.schedules, names.size(), names.empty() ? 0 : names.size() - 1, t.milestones, n);
  SLOPE_CHECK_AS(UsageError, n == 0 || milestones_of(t)[0] > t.warmup,
                 "--milestones {}: the first is not after the warm-up of {} steps", t.milestones,
                 t.warmup);
}

}  // namespace

std::vector<int64_t> milestones_of(const TrainSettings& t) {
  std::vector<int64_t> steps;
  for (const std::string& item : items_of(t.milestones)) {
    int64_t step = 0;
    SLOPE_CHECK_AS(UsageError, !is_out_of_range<int64_t>(item), "--milestones {}: {} {}",
                   t.milestones, item, out_of_range_text<int64_t>);
    SLOPE_CHECK_AS(
        UsageError, parse_number(item, step) && step > (steps.empty() ? 0 : steps.back()),
        "--milestones {}: expected steps in increasing order, such as 1000,1500", t.milestones);
    steps.push_back(step);
  }
  return steps;
}

void check_settings(const TrainSettings& t, int64_t total) {
  (void)milestones_of(t);
  if (t.schedule == "sequential") check_sequence(t);
  const std::set<std::string> falling = {"cosine",  "cosine_restarts", "linear",
                                         "plateau", "sequential",      "wsd"};
  SLOPE_CHECK_AS(UsageError, !falling.contains(t.schedule) || t.lr_min <= t.lr,
                 "train: with the schedule {} lr falls to lr_min, but lr_min is {} and lr {}",
                 t.schedule, t.lr_min, t.lr);
  SLOPE_CHECK_AS(UsageError, t.schedule != "plateau" || (t.gamma > 0 && t.gamma < 1),
                 "train: --gamma {}: must be between 0 and 1 with the schedule plateau", t.gamma);
  SLOPE_CHECK_AS(UsageError, t.average == 0 || t.swa_start == 0,
                 "train: --average is an exponential average of the weights, --swa-start their "
                 "mean; give only one of them");
  SLOPE_CHECK_AS(UsageError, t.optimizer != "rprop" || t.min_step_size <= t.max_step_size,
                 "train: --min-step-size {} is above --max-step-size {}", t.min_step_size,
                 t.max_step_size);
  SLOPE_CHECK_AS(UsageError, t.optimizer != "sgd" || !t.nesterov || t.momentum > 0,
                 "train: --nesterov needs a --momentum above 0");
  SLOPE_CHECK_AS(UsageError, total == 0 || t.swa_start <= total,
                 "train: --swa-start {}: the run ends after {} steps; 0 takes no mean", t.swa_start,
                 total);
}

double learning_rate(const TrainSettings& t, int64_t step, int64_t total) {
  if (t.optimizer == "rprop") return t.lr;  // Rprop's first step sizes, adapted by gradient signs
  if (step <= t.warmup && t.schedule != "noam") return t.lr * optim::linear(step, t.warmup, 0, 1);
  return t.lr * (t.schedule == "sequential"
                     ? sequential_factor(t, step, total)
                     : factor_of(t, t.schedule, step, t.warmup, total, t.warmup));
}

}  // namespace slope::train
