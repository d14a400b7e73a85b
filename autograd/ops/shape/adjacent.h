// Tensors that are pieces of one: what split() gives, and views of such. Attention writes the
// gradients of pieces to where they make one tensor, and the derivative of split finds it instead
// of copying them together. Private to autograd/ops.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// New tensors of the shape of the xs, which lie to one another as these do; none where these do not
// fill some range of one storage.
Tensors empty_together(const Tensors& xs);

// The tensor whose pieces along dim the xs are, of their sizes, one after the other; undefined
// where they are not, or it is not contiguous.
Tensor whole_of(const Tensors& xs, int64_t dim);

}  // namespace slope
