// The calls above the operation that is being recorded, "softsign < Net::forward (net.cpp:12)":
// names from the program's symbols; lines if it has debug information and addr2line is installed.
// Empty if the platform has no backtraces.
#pragma once

#include <string>

namespace slope {
std::string callers_of_operation();
}
