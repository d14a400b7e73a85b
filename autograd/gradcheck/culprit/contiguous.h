// To tell whether a rule is wrong only because it forgets strides: runs it on contiguous copies.
#pragma once

#include <slope/autograd/gradcheck/watch/calls.h>

namespace slope {

// What the call's rule, or its formula, gives for each input, from these gradients of the outputs,
// if all tensors are contiguous copies. Empty if the inputs are contiguous already, or if one is
// bf16, which cannot be a leaf.
Tensors contributions_if_contiguous(const Call& call, const Tensors& grad_outputs, bool formula);

}  // namespace slope
