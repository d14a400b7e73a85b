// What all optimizers share: parameter groups, a step count for each parameter, and state by
// parameter name. A parameter without a gradient does not change, nor does its state. The state
// has the parameter's dtype at the optimizer's construction. How a step runs: elementwise.h,
// whole_tensor.h.
//   optim::AdamW adam(nn::named_parameters(model), {.lr = 1e-3});
//   adam.zero_grad();  loss.backward();
//   adam.set_lr_factor(optim::cosine(step, 1000));  adam.step();
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/optim/elementwise/sweep.h>

#include <optional>

namespace slope::optim {

template <class Options>
struct Group {
  NamedTensors parameters;
  Options options;
};
template <class Options>
using Groups = std::vector<Group<Options>>;

// One tensor of a parameter's state; all elements are initially `start`.
struct StateTensor {
  const char* name;
  double start = 0;
  std::optional<Dims> shape = {};  // none: the parameter's
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  void step();
  void zero_grad();

  size_t groups() const { return lrs_.size(); }
  double lr(size_t group = 0) const { return lrs_[group] * factor_; }  // of the next step
  void set_lr_factor(double factor);  // multiplies every group's own rate: the value of a schedule
  // In the next step only, every gradient is multiplied by this: clipping (clip_factor() in clip.h)
  // without a separate pass.
  void set_grad_factor(double factor);

  // For each parameter with a step so far: NAME.step (i64, rank 0), NAME.exp_avg, … Tensors share
  // the optimizer's memory, except NAME.step: clone() what has to outlive a step.
  NamedTensors state_dict() const;
  // Replaces the whole state. InputError, without any change, if a tensor is missing, unexpected or
  // of the wrong shape.
  void load_state_dict(const NamedTensors& state);

 protected:
  struct Slot {
    std::string name;
    Tensor parameter;
    size_t group;
    int64_t steps = 0;
    Tensors state;
    double carry = 1;
  };
  using Slots = PerTensor<Slot*>;

  template <class Options>
  void add_groups(const Groups<Options>& groups) {
    for (const auto& group : groups) add_group(group.parameters, group.options.lr);
  }
  void add_group(const NamedTensors& parameters, double lr);
  virtual std::vector<StateTensor> state_of(size_t group, const Tensor& parameter) const = 0;
  // A number that a parameter carries from step to step, 1 before the first. It depends only on the
  // step's number (the last argument), so it is recomputed when a state is loaded.
  virtual double next_carry(size_t, double before, int64_t) const { return before; }
  // Updates these parameters, which have gradients and one dtype; slot->steps: the step's number.
  // Whatever can fail comes before anything is written.
  virtual void update_all(const Slots& slots) const = 0;
  // Counts a step of these parameters and updates them; if that fails, nothing is counted.
  virtual void run(const Slots& slots) const;
  double grad_factor() const { return grad_factor_; }
  static Tensor contiguous_gradient(const Tensor& parameter);

 private:
  std::vector<Slot> slots_;
  std::vector<double> lrs_;
  double factor_ = 1, grad_factor_ = 1;
};

}  // namespace slope::optim
