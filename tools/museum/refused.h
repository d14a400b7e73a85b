// Mistakes that do not compile in C++: for each a program and the compiler's message. The
// programs come after `#include <slope/nn/nn.h>` and `using namespace slope;`.
#pragma once

#include <slope/tools/museum/museum.h>

namespace slope::museum {

std::vector<Exhibit> refused();

}  // namespace slope::museum
