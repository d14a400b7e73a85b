// Check cases of the functions in heads.h, in addition to those of autograd/gradcheck/cases/.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope::nn {

const std::vector<Case>& function_cases();

}  // namespace slope::nn
