// Slices of one tensor that lie side by side in its storage, as split() returns them. The engine
// lays out their gradients side by side too (Saved::targets_like), so that the derivative of split
// joins them without a copy. Private to autograd.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <optional>

namespace slope {

// New tensors with the shapes and the relative positions of xs; none if xs do not fill a range of
// one storage, or if their rows are not contiguous: kernels write contiguous rows. They have the
// dtype of xs unless another is given.
Tensors empty_adjacent_like(const Tensors& xs, std::optional<DType> dtype = {});

// The contiguous tensor that split() along dim would cut into xs, as a view of their storage;
// undefined if they do not lie side by side.
Tensor joined_without_copy(const Tensors& xs, int64_t dim);

}  // namespace slope
