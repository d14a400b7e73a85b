// Mistakes that C++ does not let through: each a program, and what the compiler says of it. The
// programs come after `#include <slope/nn/nn.h>` and `using namespace slope;`.
#pragma once

#include <slope/tools/museum/museum.h>

namespace slope::museum {

std::vector<Exhibit> refused();

}  // namespace slope::museum
