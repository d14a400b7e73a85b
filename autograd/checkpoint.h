// Activation checkpointing (Chen et al., 2016): less memory for more time.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <functional>

namespace slope {

// f(inputs) without saving intermediate values: backward runs f again. f may depend on its inputs,
// on leaves and on random numbers; the second run draws the same numbers, under the same EvalMode
// and Autocast, and adds nothing to the running averages of a BatchNorm. UsageError if f captures a
// tensor with a graph: that must be an input. AutogradError in backward if train() or eval() has
// switched a module that f calls.
[[nodiscard]] Tensor checkpoint(const std::function<Tensor(const Tensors&)>& f,
                                const Tensors& inputs);

}  // namespace slope
