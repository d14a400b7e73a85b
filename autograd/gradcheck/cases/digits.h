// Checks that a float64 function keeps its digits: neither it nor its rule computes in float32.
// Finite differences with the usual steps miss this.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// Changes all leaves by 2^-28 of their values; then, with the leaves unchanged, the grad_outputs.
// float32 cannot hold such a change: the report's failures say which of the two changes is lost.
// The leaves must hold values that are exact in float32.
GradcheckReport keeps_digits(const TensorFunction& f, const Tensors& leaves,
                             const Tensors& grad_outputs);

}  // namespace slope
