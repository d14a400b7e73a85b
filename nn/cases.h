// Check cases of the functions of nn, in addition to those of autograd/gradcheck/cases/.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope::nn {

const std::vector<Case>& function_cases();
std::vector<Case> functional_cases();  // those of functional/, which are part of them
std::vector<Case> window_cases();      // of its pooling, norms over batches, bags; part of them too

}  // namespace slope::nn
