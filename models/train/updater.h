// Updater: optimizer, clipping and average of a run, the factor of the schedule plateau, and the
// tensors of theirs that a checkpoint holds. model.safetensors holds the weights to be used (the
// average, if there is one), state.safetensors what else a resume needs.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

namespace slope::train {

class Updater {
 public:
  Updater(const NamedTensors& parameters, const TrainSettings& settings);
  ~Updater();
  // the gradient's norm; the next step scales the gradient down to at most max_norm; 0: no limit.
  // L-BFGS takes it as it is, because a line search needs the gradient of the loss.
  double clip(double largest_norm);
  // Update number `t` (from 0), which then clears the gradients, those of the loss `loss`. `again`
  // evaluates the same loss and its gradients anew: only L-BFGS needs them, at other weights. If it
  // throws, the weights are those from before.
  void step(double lr, int64_t t, double loss = 0, const std::function<double()>& again = {});
  // of the schedule plateau, by which the rate of the others is multiplied; 1 with any other
  double lr_factor() const;
  void validated(double loss);
  // runs f with the average, if there is one by now, in place of the weights
  void with_average(const std::function<void()>& f);
  void save(const FolderSink& sink, const Task& task);
  void load(const std::string& folder, Task& task);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace slope::train
