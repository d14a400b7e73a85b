// Gradcheck cases of the functions of nn, in addition to those of autograd/gradcheck/cases/.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope::nn {

const std::vector<Case>& function_cases();  // all, including both lists below
std::vector<Case> functional_cases();       // functional/: activations, layers, losses
std::vector<Case> window_cases();           // functional/: pooling, padding, batch norm, bags, …

}  // namespace slope::nn
