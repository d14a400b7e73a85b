// Learning rates as plain functions of the step, counted from 0: each returns a factor of the
// optimizer's own rate. They have no state, so there is nothing to save:
// adam.set_lr_factor(optim::noam(step, 512, 4000)).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace slope::optim {

inline double constant(int64_t) { return 1; }

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

// Up to 1 over `warmup` steps, then proportional to 1 / sqrt(step).
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

}  // namespace slope::optim
