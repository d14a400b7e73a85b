// From the numbers of the failures to the likely mistake. Each file of this folder knows a few
// signatures; none is certain, so each guess comes with its reason and the likeliest is first.
#pragma once

#include <slope/autograd/gradcheck/diagnosis/evidence.h>

namespace slope {

// At most three, of the first culprit, or of the leaves where none was found.
Guesses diagnose(const GradcheckReport& report);
// "likely a wrong sign: every one is off by the same factor -1; or …"; empty where nothing is
// recognised
std::string text_of(const Guesses& guesses);

}  // namespace slope
