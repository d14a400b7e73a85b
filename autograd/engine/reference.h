// Gradients through a function that is run again and recorded: the composite form of a fused
// operation, or the function given to checkpoint(). Private to autograd.
#pragma once

#include <slope/autograd/op.h>

namespace slope {

// Gradients of op's inputs, through its composite reference.
Grads gradients_through_reference(const Op& op, const Saved& s);
// The gradient of each of `inputs`, from s.grad(i), the gradient of outputs[i]. Undefined for an
// input that requires none or affects no output with a gradient.
Grads gradients_of(const Tensors& outputs, const Tensors& inputs, const Saved& s);

}  // namespace slope
