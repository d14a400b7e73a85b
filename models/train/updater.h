// Updater: optimizer, clipping and EMA of a run, and the tensors of theirs that a checkpoint holds.
// model.safetensors holds the weights to be used (the EMA, if there is one), state.safetensors what
// else a resume needs.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

namespace slope::train {

class Updater {
 public:
  Updater(const NamedTensors& parameters, const TrainSettings& settings);
  ~Updater();
  // the gradient's norm; the next step scales the gradient down to at most max_norm; 0: no limit
  double clip(double largest_norm);
  // update number `t` (from 0), which then clears the gradients
  void step(double lr, int64_t t);
  // runs f with the EMA in place of the weights
  void with_average(const std::function<void()>& f);
  void save(const FolderSink& sink, const Task& task);
  void load(const std::string& folder, Task& task);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace slope::train
