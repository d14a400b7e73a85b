// Translates a program of the explorer's language into C++ or Python: one line for each operation,
// with the tape's names, then code that prints the loss and the gradients.
#pragma once

#include <slope/tools/explorer/explore.h>

namespace slope::explorer {

enum class Language { cpp, pytorch };

// Fault if the program is wrong, has a planted mistake, or draws random numbers for dropout.
std::string source_of(const Request& request, Language language);

}  // namespace slope::explorer
