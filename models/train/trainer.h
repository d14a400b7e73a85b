// Trainer: steps, accumulation, clipping, validation, early stopping, checkpoints, log. Gives the
// same bits for any number of threads, and after an interruption at any instant: everything that a
// step depends on is in the checkpoint, and a checkpoint appears as a whole or not at all.
//
//   RUN/step-N/   model.safetensors config.json [vocabularies]  state.safetensors state.json
//   RUN/last, RUN/best   links to the newest such folder and the one of smallest validation loss
//   RUN/start.json   settings, written before the data are read, then also the data's fingerprint
//   RUN/log.jsonl, RUN/loss.svg, RUN/lock
#pragma once

#include <slope/models/run/settings.h>
#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

#include <functional>
#include <memory>

namespace slope::train {

struct RunOptions {
  std::string folder;
  bool resume = false;  // continue from RUN/last; start a new run if there is none
  bool quiet = false;
  // JSON of all settings, each with the value that applied in builds that did not know it yet
  std::string values_before = "{}";
};

struct RunResult {
  int64_t steps = 0;
  double best_loss = 0;    // 1e300 before the first validation
  int64_t best_step = 0;   // 0: none
  bool as_before = false;  // resumed with settings that leave no step, so nothing was changed
  int signal = 0;          // the signal that interrupted the run, whose state was saved; 0: none
};

// UsageError if the folder holds a run but resume is not set, or if settings in `all` that may not
// change differ from the run's; InputError if the folder's links are not those of a run
// (run_folder.h). NumericError, with the step and the first tensor that is not finite, if the loss,
// a gradient, or a weight to be saved is not finite.
RunResult train(Task& task, const TrainSettings& settings, const Settings& all,
                const RunOptions& options);
// The same for a task that takes long to make: it is made once the folder is locked and start.json
// written. If making it fails, the folder is put back as it was.
using MakeTask = std::function<std::unique_ptr<Task>()>;
RunResult train(const MakeTask& make, const TrainSettings& settings, const Settings& all,
                const RunOptions& options);

// What train() refuses once it has the task, before the first step.
void check_training(const Task& task, const TrainSettings& settings);

}  // namespace slope::train
