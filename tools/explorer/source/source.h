// A program of the explorer's language as a program in C++ or Python: one line for each operation,
// under the names that the tape has, then the loss and the gradients, printed.
#pragma once

#include <slope/tools/explorer/explore.h>

namespace slope::explorer {

enum class Language { cpp, pytorch };

// Fault if the program is wrong, has a planted mistake, or draws random numbers for dropout.
std::string source_of(const Request& request, Language language);

}  // namespace slope::explorer
