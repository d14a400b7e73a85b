// Slices of one tensor, as split() returns them, and views of such slices. The engine lays out
// their gradients as one tensor (Saved::targets_like), which the derivative of split then finds.
// Private to autograd.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <optional>

namespace slope {

// A new tensor of `shape`, with its dims in the order of x's strides; contiguous if x is
// expanded. Of x's dtype unless another is given.
Tensor empty_in_order_of(const Dims& shape, const Tensor& x, std::optional<DType> dtype = {});

// New tensors with the shapes and the relative positions of xs; none if xs do not fill a range of
// one storage. Of their dtype unless another is given.
Tensors empty_together(const Tensors& xs, std::optional<DType> dtype = {});

// The contiguous tensor of which xs are consecutive slices along dim; undefined if there is
// none.
Tensor whole_of(const Tensors& xs, int64_t dim);

}  // namespace slope
