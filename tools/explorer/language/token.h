// Tokens of the explorer's language.
#pragma once

#include <slope/tools/explorer/language/fault.h>

#include <vector>

namespace slope::explorer {

struct Token {
  enum class Kind { number, text, name, sign, end };  // end: of a line
  Kind kind;
  std::string text;
  double number = 0;
  Place place;
};

// The tokens of a program; each line ends with one of Kind::end, except within brackets.
std::vector<Token> tokens_of(const std::string& program);

}  // namespace slope::explorer
