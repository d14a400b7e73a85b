// Tensors that are slices of one, as split() gives them, and views of such. The engine lays the
// gradients of slices out as one tensor (Saved::targets_like); the derivative of split finds it.
// Private to autograd.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// New memory of the shape of x whose dims lie in the order of x's strides; contiguous where x is
// expanded.
Tensor empty_in_order_of(const Dims& shape, const Tensor& x);

// New tensors of the shapes of xs, placed relative to each other as these are; none where xs do not
// fill a range of one storage.
Tensors empty_together(const Tensors& xs);

// The tensor of which xs are consecutive slices along dim; undefined where they are not, or it is
// not contiguous.
Tensor whole_of(const Tensors& xs, int64_t dim);

}  // namespace slope
