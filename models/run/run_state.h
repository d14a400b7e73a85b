// RunState: the content of state.json, a run's state except weights and optimizer.
#pragma once

#include <cstdint>
#include <string>

namespace slope::train {

struct RunState {
  int64_t step = 0;       // optimizer steps done
  int64_t position = 0;   // micro-batches consumed (not prefetched)
  int64_t log_bytes = 0;  // of log.jsonl
  int64_t best_step = 0;
  double best_loss = 0;
  int64_t stale = 0;            // validations since best_step
  bool validation_due = false;  // whether the validation of this step was interrupted
  double window_loss = 0;       // summed since the last line of the log
  int64_t window_targets = 0;
  std::string fingerprint;  // of the data; empty in start.json until they are read
  std::string numerics;     // BLAS core and instruction set: others give different bits

  // What the checkpoint's files of this state are; empty: saved before this was recorded.
  std::string model_checksum, optimizer_checksum;

  std::string settings;  // those with which the run was started, as JSON

  std::string text() const;                       // state.json
  static RunState read(const std::string& file);  // InputError if it holds no state
};

}  // namespace slope::train
