// Where blanks stand between the words of a line: by rule (detokenize.h), but for what the training
// text writes otherwise more often than not. A small table of these exceptions is kept in the run.
//
//   d     = rule(context)
//   d     = not d  if the text says so for (shapes of the two tokens, d),
//                  then for the shapes of four tokens, for three tokens, for four tokens
#pragma once

#include <slope/models/data/tokenize.h>

#include <string>
#include <unordered_set>

namespace slope::data {

class Spacing {
 public:
  Spacing() = default;  // by rule alone
  // From lines split with their blanks.
  static Spacing learned(const std::vector<SpacedTokens>& lines);
  // What text() gave; InputError that names `file` and the line.
  static Spacing parsed(const std::string& text, const std::string& file);

  std::string join(const Tokens& tokens) const;
  std::string text() const;  // an exception a line
  size_t size() const { return exceptions_.size(); }

 private:
  std::vector<bool> blanks(const Tokens& tokens, int levels) const;

  std::unordered_set<std::string> exceptions_;
};

}  // namespace slope::data
