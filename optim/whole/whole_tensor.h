// An optimizer that treats each parameter as a whole, in tensor operations: its update needs norms,
// means or products of matrices. See muon.cpp for an example.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/optim/optimizer.h>

namespace slope::optim {

// One parameter in its t-th step, from 1. g: its gradient times the factor of set_grad_factor(),
// negated if the options say `maximize`.
struct Whole {
  Tensor p, g;
  int64_t t;
  double lr;
  Tensors state;
};

template <class Options>
class WholeTensor : public Optimizer {
 protected:
  struct Rule {
    void (*check)(const Options& o, const NamedTensors& parameters);  // UsageError
    std::vector<StateTensor> (*states)(const Options& o, const Tensor& p);
    // writes p and the states, once all new values are computed
    void (*update)(const Whole& x, const Options& o);
  };

  WholeTensor(const Groups<Options>& groups, const Rule& rule) : rule_(rule) {
    for (const auto& [parameters, options] : groups) {
      rule.check(options, parameters);
      options_.push_back(options);
    }
    add_groups(groups);
  }

 private:
  std::vector<StateTensor> state_of(size_t group, const Tensor& p) const override {
    return rule_.states(options_[group], p);
  }
  // One by one: if one fails, those before it are updated and counted.
  void run(const Slots& slots) const override {
    for (Slot* slot : slots) Optimizer::run({slot});
  }
  void update_all(const Slots& slots) const override {
    for (const Slot* slot : slots) {
      const Options& o = options_[slot->group];
      const double factor = o.maximize ? -grad_factor() : grad_factor();
      const Tensor g = contiguous_gradient(slot->parameter);
      rule_.update({slot->parameter, factor == 1 ? g : factor * g, slot->steps, lr(slot->group),
                    slot->state},
                   o);
    }
  }

  Rule rule_;
  std::vector<Options> options_;
};

}  // namespace slope::optim
