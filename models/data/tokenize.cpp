#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenize.h>

namespace slope::data {

Tokens split_words(std::string_view line, const WordOptions& options) {
  const std::u32string text = decode_utf8(line);
  Tokens tokens;
  bool in_word = false;
  for (char32_t c : options.lowercase ? lower(text) : text) {
    const bool word = is_word(c);
    if (!is_space(c)) {
      if (!(word && in_word)) tokens.emplace_back();
      append_utf8(tokens.back(), c);
    }
    in_word = word;
  }
  return tokens;
}

Tokens split_spaces(std::string_view text) {
  Tokens tokens;
  bool in_token = false;
  for (char32_t c : decode_utf8(text)) {
    const bool visible = !is_space(c);
    if (visible) append_utf8(in_token ? tokens.back() : tokens.emplace_back(), c);
    in_token = visible;
  }
  return tokens;
}

std::string join(const Tokens& tokens, std::string_view between) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) text += between;
    text += tokens[i];
  }
  return text;
}

}  // namespace slope::data
