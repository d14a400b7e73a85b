// Does a function of float64 keep its digits, or does it, or its rule, compute in float32 inside?
// Differences with the usual steps do not show this.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// Changes all leaves by 2^-28 of their values and then, at the given leaves, the grad_outputs.
// float32 cannot hold such a change: the report's failures say which of the two changes is lost.
// The leaves must hold values that are exact in float32.
GradcheckReport keeps_digits(const TensorFunction& f, const Tensors& leaves,
                             const Tensors& grad_outputs);

}  // namespace slope
