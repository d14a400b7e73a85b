// Splits a line into words, composed (NFC): runs of letters, digits and _, and each other visible
// character alone, like Python's re.findall(r"\w+|[^\w\s]", line.lower()); but marks (accents,
// vowel signs, variation selectors), joiners and other format characters stay with the character
// before them, Catalan l·l is one word, and a flag or a sequence of emoji is one token.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slope::data {

using Tokens = std::vector<std::string>;

struct WordOptions {
  bool lowercase = true;
};
// InputError: not UTF-8
Tokens split_words(std::string_view line, const WordOptions& options = {});

struct SpacedTokens {
  Tokens tokens;
  std::vector<bool> blank_before;  // of each token
};
SpacedTokens split_words_and_blanks(std::string_view line, const WordOptions& options = {});

Tokens split_spaces(std::string_view text);  // Python's str.split()

std::string join(const Tokens& tokens, std::string_view between = " ");

}  // namespace slope::data
