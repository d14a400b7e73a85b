// A learning rate that falls when a metric stops improving (torch's ReduceLROnPlateau): after more
// than `patience` bad epochs it is multiplied by `factor`.
//   optim::ReduceOnPlateau plateau({.patience = 2});
//   adam.set_lr_factor(plateau.step(validation_loss));
// Unlike the schedules of schedule.h it has a state, which a resume needs.
#pragma once

#include <slope/core/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace slope::optim {

struct PlateauOptions {
  bool larger_is_better = false;
  double factor = 0.1;
  int64_t patience = 10;    // bad epochs that are tolerated; the rate falls after one more
  double threshold = 1e-4;  // least improvement, as a share of the best metric unless absolute
  bool absolute = false;
  int64_t cooldown = 0;  // epochs after a fall that are not counted
  double least = 0;      // the factor does not fall below this
};

struct PlateauState {
  double factor = 1, best = NAN;  // nan: no epoch yet
  int64_t bad_epochs = 0, cooldown_left = 0;
};

class ReduceOnPlateau {
 public:
  explicit ReduceOnPlateau(const PlateauOptions& options = {}) : o_(options) {
    SLOPE_CHECK_AS(UsageError, o_.factor > 0 && o_.factor < 1,
                   "plateau: the factor must be between 0 and 1, got {}", o_.factor);
  }
  // The factor of the rate after an epoch with this metric.
  double step(double metric) {
    if (is_better(metric)) {
      s_.best = metric;
      s_.bad_epochs = 0;
    } else {
      ++s_.bad_epochs;
    }
    if (s_.cooldown_left > 0) {
      --s_.cooldown_left;
      s_.bad_epochs = 0;
    }
    if (s_.bad_epochs > o_.patience) {
      s_.factor = std::min(s_.factor, std::max(s_.factor * o_.factor, o_.least));
      s_.cooldown_left = o_.cooldown;
      s_.bad_epochs = 0;
    }
    return s_.factor;
  }
  const PlateauState& state() const { return s_; }
  void load_state(const PlateauState& state) { s_ = state; }

 private:
  bool is_better(double x) const {
    if (std::isnan(s_.best)) return o_.larger_is_better ? x > -INFINITY : x < INFINITY;
    const double sign = o_.larger_is_better ? 1 : -1,
                 bar = o_.absolute ? s_.best + sign * o_.threshold
                                   : s_.best * (1 + sign * o_.threshold);
    return o_.larger_is_better ? x > bar : x < bar;
  }

  PlateauOptions o_;
  PlateauState s_;
};

}  // namespace slope::optim
