// The smallest case that still fails: sizes and ranks of the inputs are reduced as long as
// gradcheck finds a wrong derivative.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// The inputs as C++, "{from_vector<double>({0.5, -1}, {1, 2}).set_requires_grad()}"; empty if
// the inputs have too many elements, or the smallest that fail still too many to print.
std::string smallest_failing(const TensorFunction& f, const Tensors& inputs,
                             const GradcheckOptions& options);

}  // namespace slope
