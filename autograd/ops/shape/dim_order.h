// The order of a tensor's dims in memory, by their strides. Private to autograd.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <optional>

namespace slope {

// A new tensor of `shape`, whose dims lie in memory in the same order as x's, but the last always
// innermost; contiguous if x is expanded. It has x's dtype unless another is given.
Tensor empty_in_order_of(const Dims& shape, const Tensor& x, std::optional<DType> dtype = {});

}  // namespace slope
