// Text from a file or a command line, for a message: in one line, without what a terminal obeys.
// Names are escaped where they are printed, not where they are read.
#pragma once

#include <string>
#include <string_view>

namespace slope {

// Control characters and bytes that are not UTF-8 as \x1b, marks that turn the direction of text
// and line separators as \u202e.
std::string visible(std::string_view text);

}  // namespace slope
