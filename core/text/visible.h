// Text from a file or a command line, for a message: on one line, without terminal control
// characters. Names are escaped where they are printed, not where they are read.
#pragma once

#include <string>
#include <string_view>

namespace slope {

// Control characters and bytes that are not UTF-8 become \x1b and the like; line separators and
// marks that change the direction of text become \u202e and the like.
std::string visible(std::string_view text);

// The text, of at most 80 characters: a longer one is cut off, with … at its end.
std::string brief(std::string_view text);

// '' for an empty text, so that a message shows that nothing was given
inline std::string quoted_if_empty(std::string_view text) {
  return text.empty() ? "''" : std::string(text);
}

}  // namespace slope
