// Learning rates as plain functions of the step, counted from 0: each returns a factor of the
// optimizer's own rate. They have no state, so there is nothing to save:
// adam.set_lr_factor(optim::noam(step, 512, 4000)).
#pragma once

#include <slope/core/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

namespace slope::optim {

inline double constant(int64_t) { return 1; }
// `factor` for `total` steps, then 1 (torch's ConstantLR).
inline double constant(int64_t step, int64_t total, double factor) {
  return step < total ? factor : 1;
}

// From `start` to `end` over `total` steps, then `end` (torch's LinearLR): linear(step, 100, 0, 1)
// warms up.
inline double linear(int64_t step, int64_t total, double start, double end) {
  return step >= total
             ? end
             : start + (end - start) * static_cast<double>(step) / static_cast<double>(total);
}

// Half a cosine from 1 to `floor` over `total` steps, then `floor`.
inline double cosine(int64_t step, int64_t total, double floor = 0) {
  if (step >= total) return floor;
  return floor + (1 - floor) * 0.5 *
                     (1 + std::cos(std::numbers::pi * static_cast<double>(step) /
                                   static_cast<double>(total)));
}

// (step + 1) / (warmup + 1) while warming up, then the cosine until `total` (nanoGPT's).
inline double warmup_cosine(int64_t step, int64_t warmup, int64_t total, double floor = 0) {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  return cosine(step - warmup, total - warmup, floor);
}

// t / warmup up to t = warmup, then sqrt(warmup / t), where t = step + 1.
inline double inverse_sqrt(int64_t step, int64_t warmup) {
  const double t = static_cast<double>(step + 1),
               w = static_cast<double>(std::max<int64_t>(warmup, 1));
  return std::min(t / w, std::sqrt(w / t));
}

// d_model^-0.5 min(t^-0.5, t warmup^-1.5), t = step + 1 (Vaswani et al., 2017, 5.3).
inline double noam(int64_t step, int64_t d_model, int64_t warmup) {
  const double t = static_cast<double>(step + 1),
               w = static_cast<double>(std::max<int64_t>(warmup, 1));
  return std::min(std::pow(t, -0.5), t * std::pow(w, -1.5)) /
         std::sqrt(static_cast<double>(d_model));
}

// gamma^(step / size) with integer division (torch's StepLR).
inline double step_decay(int64_t step, int64_t size, double gamma) {
  return std::pow(gamma, static_cast<double>(step / std::max<int64_t>(size, 1)));
}

// gamma^(number of milestones reached) (torch's MultiStepLR).
inline double multistep(int64_t step, const std::vector<int64_t>& milestones, double gamma) {
  const auto reached = std::count_if(milestones.begin(), milestones.end(),
                                     [step](int64_t milestone) { return milestone <= step; });
  return std::pow(gamma, static_cast<double>(reached));
}

inline double exponential(int64_t step, double gamma) {
  return std::pow(gamma, static_cast<double>(step));
}

// (1 - step / total)^power; 0 from `total` on, or 1 if `power` is 0 (torch's PolynomialLR).
inline double polynomial(int64_t step, int64_t total, double power) {
  return step >= total
             ? (power == 0 ? 1 : 0)
             : std::pow(1 - static_cast<double>(step) / static_cast<double>(total), power);
}

// Cosines from 1 to `floor`, the first of `period` steps, each `factor` times as long as the
// previous (Loshchilov and Hutter, 2017; torch's CosineAnnealingWarmRestarts).
inline double cosine_restarts(int64_t step, int64_t period, int64_t factor = 1, double floor = 0) {
  period = std::max<int64_t>(period, 1);
  factor = std::max<int64_t>(factor, 1);
  if (factor == 1) step %= period;
  const int64_t longest = std::numeric_limits<int64_t>::max() / factor;
  while (step >= period) {
    step -= period;
    period = std::min(period, longest) * factor;  // does not overflow
  }
  return cosine(step, period, floor);
}

// Up to 1 by a cosine in the first pct_start of `total` steps, then down to almost 0 (Smith and
// Topin, 2018; torch's OneCycleLR, but with constant momentum).
struct OneCycle {
  double pct_start = 0.3, div_factor = 25, final_div_factor = 1e4;
};
inline double one_cycle(int64_t step, int64_t total, const OneCycle& o = {}) {
  const double t = static_cast<double>(step), last = static_cast<double>(total) - 1,
               top = o.pct_start * static_cast<double>(total) - 1;
  const auto between = [](double from, double to, double share) {
    return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * share));
  };
  const double start = 1 / o.div_factor, end = start / o.final_div_factor;
  if (top > 0 && t <= top) return between(start, 1, t / top);
  return between(1, end, last > top ? std::min(1.0, (t - top) / (last - top)) : 1);
}

// Warm up, stay, decay: linearly to 1 over `warmup` steps, then 1, then linearly to `floor` over
// the last `decay` of `total` steps (Hu et al., "MiniCPM", 2024).
inline double wsd(int64_t step, int64_t warmup, int64_t total, int64_t decay, double floor = 0) {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
  return linear(std::max<int64_t>(step - (total - decay), 0), std::max<int64_t>(decay, 1), 1,
                floor);
}

// Triangles between `low` and 1: up over `up` steps, down over `down`. The height is multiplied by
// gamma^step and, if `halved`, halved with each cycle (Smith, 2017; torch's CyclicLR with max_lr as
// the rate). A cycle has at least one step.
struct Cyclic {
  double low = 0.1;
  int64_t up = 2000, down = 2000;
  bool halved = false;
  double gamma = 1;
};
inline double cyclic(int64_t step, const Cyclic& o = {}) {
  const int64_t up = std::max<int64_t>(o.up, 0), down = std::max<int64_t>(o.down, up == 0),
                period = up + down, at = step % period;
  const double height = at < up ? static_cast<double>(at) / static_cast<double>(up)
                                : static_cast<double>(period - at) / static_cast<double>(down),
               scale = (o.halved ? std::pow(0.5, static_cast<double>(step / period)) : 1) *
                       std::pow(o.gamma, static_cast<double>(step));
  return o.low + (1 - o.low) * height * scale;
}

// From 1 to `target` over `total` steps, by a cosine or a line; then `target`, the rate while
// weights are averaged (torch's SWALR).
inline double swa(int64_t step, int64_t total, double target, bool by_cosine = true) {
  const double t = step >= total ? 1 : static_cast<double>(step) / static_cast<double>(total),
               share = by_cosine ? 0.5 * (1 - std::cos(std::numbers::pi * t)) : t;
  return share * target + (1 - share);
}

using Schedule = std::function<double(int64_t step)>;

// One schedule after the other: from each milestone on the next one, whose steps count from there
// (torch's SequentialLR). UsageError unless parts outnumber milestones by one.
inline double sequential(int64_t step, const std::vector<Schedule>& parts,
                         const std::vector<int64_t>& milestones) {
  SLOPE_CHECK_AS(UsageError, parts.size() == milestones.size() + 1,
                 "sequential: {} schedules with {} milestones; there must be one milestone fewer",
                 parts.size(), milestones.size());
  size_t i = 0;
  while (i < milestones.size() && step >= milestones[i]) ++i;
  return parts[i](i == 0 ? step : step - milestones[i - 1]);
}
// All at once: their product (torch's ChainedScheduler).
inline double chained(int64_t step, const std::vector<Schedule>& parts) {
  double factor = 1;
  for (const Schedule& part : parts) factor *= part(step);
  return factor;
}
// f(1) f(2) … f(step) (torch's MultiplicativeLR).
inline double multiplicative(int64_t step, const Schedule& f) {
  double factor = 1;
  for (int64_t i = 1; i <= step; ++i) factor *= f(i);
  return factor;
}

}  // namespace slope::optim
