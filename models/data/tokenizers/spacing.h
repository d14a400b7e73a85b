// Where the blanks between the tokens of a line are: by rule (detokenize.h), except for contexts in
// which the training text mostly differs. The run stores a small table of these exceptions.
//
//   d     = rule(context)
//   d     = not d  if the table has (shapes of the two tokens, d),
//                  then the shapes of four tokens, then three tokens, then four tokens
#pragma once

#include <slope/models/data/tokenize.h>

#include <string>
#include <unordered_set>

namespace slope::data {

class Spacing {
 public:
  Spacing() = default;  // by rule alone
  // The exceptions in lines that were split with their blanks.
  static Spacing learned(const std::vector<SpacedTokens>& lines);
  // What text() gave; InputError that names `file` and the line.
  static Spacing parsed(const std::string& text, const std::string& file);

  std::string join(const Tokens& tokens) const;
  std::string text() const;  // one exception per line
  size_t size() const { return exceptions_.size(); }

 private:
  std::vector<bool> blanks(const Tokens& tokens, int levels) const;

  std::unordered_set<std::string> exceptions_;
};

}  // namespace slope::data
