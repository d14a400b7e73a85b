// Guesses the likely mistake from the numbers of the failures. Each file of this folder knows a few
// patterns. None is certain, so each guess has a reason, and the likeliest comes first.
#pragma once

#include <slope/autograd/gradcheck/diagnosis/evidence.h>

namespace slope {

// At most three, for the first culprit, or for the leaves if there is none.
Guesses diagnose(const GradcheckReport& report);
// The three likeliest, each once.
Guesses best_of(Guesses guesses);
// "likely a wrong sign: every one is off by the same factor -1; or …"; empty if nothing is
// recognised
std::string text_of(const Guesses& guesses);

}  // namespace slope
