// Decodes a text token by token and gives each new piece as soon as it is certain. A character of
// several bytes is certain once all its bytes are there; a blank between words may depend on the
// next token.
#pragma once

#include <slope/models/data/tokenizer.h>

#include <deque>

namespace slope::train {

class TextStream {
 public:
  // `before`: the tokens that the text follows.
  TextStream(const data::Tokenizer& tokenizer, std::span<const int64_t> before);
  std::string push(int64_t token);  // what is new and certain
  std::string finish() const;       // the rest

 private:
  void shorten();

  const data::Tokenizer& tokenizer_;
  data::Ids ids_;     // the last tokens, enough to decode the newest as in the whole text
  size_t given_ = 0;  // bytes of their text that were already given out or belong to `before`
  std::string text_;
  std::deque<std::string> before_;  // text_ before each of the last looks_ahead() tokens
};

}  // namespace slope::train
