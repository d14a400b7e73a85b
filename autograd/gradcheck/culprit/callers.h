// The calls above the operation that is being recorded, "softsign < Net::forward (net.cpp:12)":
// names from the program's symbols, lines where it has debug information and addr2line is
// installed. Empty where the platform cannot tell.
#pragma once

#include <string>

namespace slope {
std::string callers_of_operation();
}
