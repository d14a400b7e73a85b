// From the numbers of the failures to the likely mistake.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// A phrase, "every one is off by the same factor -1: a wrong sign"; empty where the failures show
// no pattern.
std::string likely_mistake(const GradcheckReport& report);

}  // namespace slope
