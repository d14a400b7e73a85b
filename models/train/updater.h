// Updater: optimizer, clipping and moving average of a run, and the tensors that a checkpoint keeps
// of them. model.safetensors holds the weights that are to be used (the average, where there is
// one); state.safetensors what else a resume needs.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

namespace slope::train {

class Updater {
 public:
  Updater(const NamedTensors& parameters, const TrainSettings& settings);
  ~Updater();
  // the gradient's norm; the next step takes at most so much of it; 0: all
  double clip(double largest_norm);
  void step(double lr);  // and forgets the gradients
  // runs f with the average in the weights' place
  void with_average(const std::function<void()>& f);
  void save(const FolderSink& sink, const Task& task);
  void load(const std::string& folder, Task& task);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace slope::train
