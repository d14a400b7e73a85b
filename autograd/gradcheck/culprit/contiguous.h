// A rule that is wrong only because it forgets strides is right once its inputs are contiguous.
#pragma once

#include <slope/autograd/gradcheck/watch/calls.h>

namespace slope {

// What the call's rule gives for each input, from these gradients of the outputs, if all tensors
// are contiguous copies. Empty if they are contiguous already.
Tensors contributions_if_contiguous(const Call& call, const Tensors& grad_outputs);

}  // namespace slope
