// Updater: what changes the weights of a run: clipping, the optimizer, the average of the weights,
// and the factor of the schedule plateau. It saves their tensors and reads them back. In a
// checkpoint, model.safetensors has the weights to be used (the average, if there is one), and
// state.safetensors whatever else a resume needs.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/models/train/task.h>

namespace slope::train {

class Updater {
 public:
  Updater(const NamedTensors& parameters, const TrainSettings& settings);
  ~Updater();
  // Returns the gradient's norm. The next step scales the gradient down to a norm of at most
  // largest_norm; 0: no limit. L-BFGS does not scale it, because a line search needs the gradient
  // of the loss.
  double clip(double largest_norm);
  // Update number `t` (from 0) from the parameters' gradients, which are then cleared. Only L-BFGS
  // uses `loss`, whose gradients these are, and `again`, which evaluates the loss and its gradients
  // at other weights; if that throws, the weights are what they were before.
  void step(double lr, int64_t t, double loss = 0, const std::function<double()>& again = {});
  // the factor that the schedule plateau applies to the learning rate; 1 with other schedules
  double lr_factor() const;
  void validated(double loss);  // tells the schedule plateau of a validation
  // runs f with the average in place of the weights, once there is an average
  void with_average(const std::function<void()>& f);
  void save(const FolderSink& sink, const Task& task);
  void load(const std::string& folder, Task& task, int64_t updates);  // saved after this many

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace slope::train
