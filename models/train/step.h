// One optimizer step: forward and backward of its micro-batches, clipping, update. The trainer and
// the benchmarks use the same one.
#pragma once

#include <slope/models/train/report/layer_norms.h>
#include <slope/models/train/task.h>
#include <slope/models/train/updater.h>

#include <optional>

namespace slope::train {

struct StepResult {
  double loss_sum = 0;  // over the targets
  int64_t targets = 0, tokens = 0;
  double gradient_norm = 0, lr = 0;
  std::vector<NormsOf> layers;  // if t.log_norms, of steps that are logged
};

// Step number `step` (from 0) of `total`. Takes up to t.accumulate micro-batches of the task, never
// beyond the end of an epoch. Its random numbers are a function of (t.seed, step, micro-batch). A
// micro-batch of more than t.piece_tokens tokens goes through the model in pieces of whole
// sequences, whose gradients add up in order, so that only the values of one piece are saved for
// backward. NumericError, with the first tensor that is not finite, before anything is updated;
// UsageError if the loss depends on a parameter that the task does not list, or if a module that is
// no part of task.module() is in training mode and depends on that (dropout). This is asked in the
// first step after set_training(true) took effect (the first of a process, the first after each
// validation) and in each tenth: a member that few steps use is found by chance. Interrupted,
// between two nodes of backward or two pieces, if a signal came: the gradients are then incomplete.
// After any error the task's buffers are what they were before.
StepResult take_step(Task& task, Updater& updater, const TrainSettings& t, int64_t step,
                     int64_t total);

// The learning rate of step `step` (from 1) of `total`: the schedule's, times Updater::lr_factor().
double rate_of(const TrainSettings& t, const Updater& updater, int64_t step, int64_t total);

bool at_epoch_end(const Task& task);
int64_t steps_per_epoch(const Task& task, const TrainSettings& t);  // as --epochs counts them
// false for one batch again and again, which is no pass over the data
bool has_epochs(const Task& task, const TrainSettings& t);
// How many epochs are done after `step` steps, which took `position` micro-batches.
std::optional<double> epochs_done(const Task& task, const TrainSettings& t, int64_t step,
                                  int64_t position);
// whether step `step` (from 1) of `total` has a line in the log
bool is_logged(const TrainSettings& t, int64_t step, int64_t total);

}  // namespace slope::train
