// Numbers of a run that are not finite: which one, in which step, and what to try.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

#include <string>

namespace slope::train {

// Where training is: in step `step` (from 1) at the learning rate `lr`, after so many updates.
struct Moment {
  int64_t step;
  double lr;
  int64_t updates;
};

std::string not_finite(const char* what, double value);  // "the loss is nan"

// Throws a NumericError that names the step, what is wrong (`what`), the first tensor that is not
// finite, and a remedy.
[[noreturn]] void refuse_not_finite(const Task& task, const TrainSettings& t, const Moment& at,
                                    const std::string& what);

// After an update: NumericError if a weight is not finite. An update can overflow although its
// gradient is finite, and the next loss would reveal that only after the weights were saved.
void check_weights(const Task& task, const TrainSettings& t, const Moment& at);

// Which settings may be the cause: learning rate, weight decay, momentum and others that make
// updates large. Before the first update none of them is.
std::string remedy(const TrainSettings& t, const Moment& at);

}  // namespace slope::train
