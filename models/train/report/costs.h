// What a run costs: the time of steps and validations, tokens a second, memory.
#pragma once

#include <slope/models/train/report/progress.h>

namespace slope::train {

class Costs {
 public:
  explicit Costs(Progress& progress) : progress_(progress) {}

  void add_step(double seconds, int64_t tokens);
  double tokens_per_second() const { return recent_tokens_ / recent_seconds_; }
  // Says once, after two seconds of training, how long the `left` steps will take and what memory
  // the run uses. `steps_per_epoch` is 0 where there are no epochs.
  void report(int64_t left, int64_t steps_per_epoch);
  // The first validation tells what share of the time all of them will take.
  void report_validation(double seconds);

 private:
  Progress& progress_;
  double recent_tokens_ = 0, recent_seconds_ = 0;  // of the last ten steps or so
  double seconds_ = 0;                             // of training, in this process
  int64_t steps_ = 0;                              // by this process
  bool reported_ = false;
  bool share_reported_ = false;
};

}  // namespace slope::train
