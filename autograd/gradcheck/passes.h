// Backward passes over one graph, each with a cotangent of its own.
#pragma once

#include <slope/autograd/backward.h>
#include <slope/autograd/observer.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

class Passes {
 public:
  Passes(const Tensor& y, const NamedTensors& leaves, bool formula) : y_(y), formula_(formula) {
    for (const NamedTensor& leaf : leaves) wanted_.push_back(leaf.tensor);
  }
  // Each pass gets its own copy of u, so that a rule that writes into it cannot affect the next.
  Tensors run(const Tensor& u) const { return run_as(contiguous_copy(u)); }
  // the same with u as it lies in memory
  Tensors run_as(const Tensor& u) const { return gradients(wanted_, u); }
  // the same, but only the gradient of one leaf is asked for
  Tensor run_for(size_t leaf, const Tensor& u) const {
    return gradients({wanted_[leaf]}, contiguous_copy(u))[0];
  }
  Tensors run(const Tensor& u, Observer& observer) const {
    return run_as(contiguous_copy(u), observer);
  }
  Tensors run_as(const Tensor& u, Observer& observer) const {
    const Observe observe(observer);
    return run_as(u);
  }

 private:
  Tensors gradients(const Tensors& wanted, const Tensor& u) const {
    Tensors result;
    if (y_.requires_grad())
      result = grad({y_}, wanted,
                    {.grad_outputs = {u},
                     .retain_graph = true,
                     .create_graph = formula_,
                     .allow_unused = true});
    result.resize(wanted.size());
    for (Tensor& g : result)
      if (g.defined()) g = contiguous_copy(g);
    return result;
  }

  const Tensor& y_;
  bool formula_;
  Tensors wanted_;
};

}  // namespace slope
