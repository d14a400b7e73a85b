// Activation checkpointing (Chen et al., 2016): memory for time.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <functional>

namespace slope {

// f(inputs), whose intermediate values are not saved; backward runs f again. f must be a function
// of its inputs, of leaves, and of random numbers, which are drawn again alike.
[[nodiscard]] Tensor checkpoint(const std::function<Tensor(const Tensors&)>& f,
                                const Tensors& inputs);

}  // namespace slope
