// The smallest case that still fails: sizes and ranks of the inputs are reduced again and again
// while gradcheck still finds a wrong derivative.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// The inputs as C++, "{from_vector<double>({0.5, -1}, {1, 2}).set_requires_grad()}", the last
// `cotangents` of them as a list of their own, then the options that are not the defaults. Empty if
// the inputs have too many elements to try, or the smallest that fail too many to print.
std::string smallest_failing(const TensorFunction& f, const Tensors& inputs, size_t cotangents,
                             const GradcheckOptions& options);

}  // namespace slope
