// Does a function of float64 keep its digits, or is it computed in float32 inside? Differences with
// usual steps do not see it, nor do they see that a rule rounds to float32.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// Moves all leaves, then the gradients of the outputs, by 2^-28 of themselves, which float32 does
// not hold. The report's failures say which of the two makes no difference. The leaves' values are
// numbers of float32.
GradcheckReport keeps_digits(const TensorFunction& f, const Tensors& leaves,
                             const Tensors& grad_outputs);

}  // namespace slope
