// Gradients through a function that is run again, recorded: the composite form of a fused
// operation, and what checkpoint() was given. Private to autograd.
#pragma once

#include <slope/autograd/op.h>

namespace slope {

// Those of s's op through its composite reference.
Grads gradients_through_reference(const Op& op, const Saved& s);
// Gradients of `outputs`, which take the gradients of s's outputs, for those of `inputs` that
// require one, in their places.
Grads gradients_of(const Tensors& outputs, const Tensors& inputs, const Saved& s);

}  // namespace slope
