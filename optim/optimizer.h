// Optimizer: what all optimizers share: parameter groups, a step count for each parameter, state by
// parameter name, and one parallel pass over all elements. A parameter without a gradient is not
// changed, nor is its state. State starts at zero, in the dtype that the parameter has when the
// optimizer is made.
//   optim::AdamW adam(nn::named_parameters(model), {.lr = 1e-3});
//   adam.zero_grad();  loss.backward();
//   adam.set_lr_factor(optim::cosine(step, 1000));  adam.step();
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/optim/sweep.h>

#include <array>

namespace slope::optim {

template <class Options>
struct Group {
  NamedTensors parameters;
  Options options;
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
  // without a pass of its own.
  void set_grad_factor(double factor);

  // For each parameter that was stepped: NAME.step (i64, rank 0) and NAME.exp_avg, … Tensors share
  // the optimizer's memory, except NAME.step: clone() what has to outlive a step.
  NamedTensors state_dict() const;
  // Replaces the whole state. InputError, without any change, if a tensor is missing, unexpected or
  // of the wrong shape.
  void load_state_dict(const NamedTensors& state);

 protected:
  static constexpr size_t most_states = 3;
  template <class T>
  struct Part {    // a stretch of one parameter's elements
    int64_t n, t;  // t: this is the parameter's t-th step, from 1
    size_t group;
    T* p;
    const T* g;
    std::array<T*, most_states> state;
  };

  template <class Options>
  void add_groups(const std::vector<Group<Options>>& groups) {
    for (const auto& group : groups) add_group(group.parameters, group.options.lr);
  }
  void add_group(const NamedTensors& parameters, double lr);
  // starting at zero, with the parameter's shape and dtype
  virtual std::vector<const char*> state_names(size_t group) const = 0;
  virtual void update(const Part<float>& part) const = 0;
  virtual void update(const Part<double>& part) const = 0;
  double grad_factor() const { return grad_factor_; }

 private:
  struct Slot {
    std::string name;
    Tensor parameter;
    size_t group;
    int64_t steps = 0;
    Tensors state;
  };
  template <class T>
  void run(PerTensor<Slot*>& slots) const;

  std::vector<Slot> slots_;
  std::vector<double> lrs_;
  double factor_ = 1, grad_factor_ = 1;
};

}  // namespace slope::optim
