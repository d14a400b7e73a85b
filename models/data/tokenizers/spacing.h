// Decides where blanks go between the tokens of a line: by rule (detokenize.h), except in contexts
// where the training text mostly differs. The run stores these exceptions as a small table.
//
// There are four levels of exceptions. Each corrects the result of the level before, in contexts of
//   0: the shapes of the two tokens at the place     2: three tokens, as they are
//   1: the shapes of the four tokens around it       3: four tokens, as they are
#pragma once

#include <slope/models/data/tokenize.h>

#include <string>
#include <unordered_set>

namespace slope::data {

class Spacing {
 public:
  Spacing() = default;  // by rule alone
  // Learns the exceptions from lines that were split with their blanks.
  static Spacing learned(const std::vector<SpacedTokens>& lines);
  // Reads what text() gave; an InputError names `file` and the line.
  static Spacing parsed(const std::string& text, const std::string& file);

  std::string join(const Tokens& tokens) const;
  std::string text() const;  // one exception per line
  size_t size() const { return exceptions_.size(); }

 private:
  std::vector<bool> blanks(const Tokens& tokens, int levels) const;

  std::unordered_set<std::string> exceptions_;
};

}  // namespace slope::data
