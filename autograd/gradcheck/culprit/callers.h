// The calls above the operation that is being recorded, "softsign < Net::forward (net.cpp:12)":
// names from the program's symbols; lines if it has debug information and addr2line is installed.
#pragma once

#include <string>
#include <vector>

namespace slope {

using Frames = std::vector<void*>;
Frames frames_of_operation();  // empty if the platform has no backtraces
// The text for each operation; addr2line runs once for all of them.
std::vector<std::string> callers_of(const std::vector<Frames>& operations);

}  // namespace slope
