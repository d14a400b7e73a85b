// Gradients of micro-batches, added in a fixed tree: ((g0 + g1) + (g2 + g3)) + …. The order depends
// only on their number.
#pragma once

#include <slope/core/loops/copy.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope::train {

class GradientTree {
 public:
  // Moves the gradients out of the parameters.
  void push(const NamedTensors& parameters) {
    Level level{0, {}};
    for (const NamedTensor& p : parameters) {
      level.grads.push_back(p.tensor.grad());
      p.tensor.set_grad({});
    }
    levels_.push_back(std::move(level));
    while (levels_.size() >= 2 && levels_[levels_.size() - 2].height == levels_.back().height)
      merge();
  }

  // Puts the sum back into the parameters.
  void finish(const NamedTensors& parameters) {
    while (levels_.size() >= 2) merge();
    for (size_t i = 0; i < parameters.size(); ++i)
      parameters[i].tensor.set_grad(levels_.back().grads[i]);
    levels_.clear();
  }

 private:
  struct Level {
    int height;
    Tensors grads;
  };
  void merge() {
    const Level last = std::move(levels_.back());
    levels_.pop_back();
    Level& into = levels_.back();
    for (size_t i = 0; i < last.grads.size(); ++i) {
      if (!last.grads[i].defined()) continue;
      if (into.grads[i].defined())
        add_into(last.grads[i], into.grads[i]);
      else
        into.grads[i] = last.grads[i];
    }
    ++into.height;
  }
  std::vector<Level> levels_;
};

}  // namespace slope::train
