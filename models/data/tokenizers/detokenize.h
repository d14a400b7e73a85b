// Joins words into a line as it is usually written: `two t - shirts , " red "` becomes `two
// t-shirts, "red"`. These rules are fixed; spacing.h learns the exceptions from the training text.
#pragma once

#include <slope/models/data/tokenize.h>

namespace slope::data {

enum class Shape { letters, letter, digits, letters_digit, digit_letters, symbol, nothing };
Shape shape_of(const std::string& token);  // letter: a single one

// How many tokens after a token the rules may look at to decide on the blank before it.
constexpr int rules_look_ahead = 2;

// For each token, whether there is a blank before it: always between words. Closing punctuation is
// attached to the word before it, opening punctuation to the word after it; hyphens, slashes and
// apostrophes to both, as are . , : and dashes between digits. Quotation marks open and close in
// turn. What is written both ways (5-3, 5 - 3) is attached.
std::vector<bool> blanks_by_rule(const Tokens& tokens);

std::string join_with_blanks(const Tokens& tokens, const std::vector<bool>& blank_before);

inline std::string detokenize(const Tokens& tokens) {
  return join_with_blanks(tokens, blanks_by_rule(tokens));
}

}  // namespace slope::data
