// What Vocab does with a text's characters as numbers, done plainly with one string each.
#pragma once

#include <slope/models/data/text/utf8.h>
#include <slope/models/data/vocab.h>

namespace slope::test {

inline data::Tokens split_characters(std::string_view text) {
  data::Tokens tokens;
  for (char32_t c : data::decode_utf8(text)) tokens.push_back(data::encode_utf8({&c, 1}));
  return tokens;
}

inline data::Counts count_tokens(const data::Tokens& tokens) {
  data::Counts counts;
  for (const std::string& token : tokens) ++counts[token];
  return counts;
}

}  // namespace slope::test
