#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/data/tokenize.h>

namespace slope::data {

namespace {

constexpr char32_t zero_width_joiner = 0x200D;

bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_l(char32_t c) { return c == 'l' || c == 'L'; }

// Which characters of a line continue the token of the character before them.
class Continues {
 public:
  explicit Continues(std::u32string_view text) : text_(text) {}

  bool operator()(size_t i) {  // asked for each i in turn
    const char32_t c = text_[i], before = i > 0 ? text_[i - 1] : U' ';
    const bool word = is_word(c), stays = is_mark_or_joiner(c), half_flag = in_ == half_of_flag;
    if (is_space(c)) return in_ = nothing, false;
    const bool middle_dot =
        c == 0xB7 && in_ == a_word && is_l(before) && i + 1 < text_.size() && is_l(text_[i + 1]);
    if (in_ == a_word && (word || stays || middle_dot)) return true;
    if (in_ == marks_alone && (word || stays)) return in_ = word ? a_word : marks_alone, true;
    if (half_flag && is_flag_letter(c)) return in_ = a_symbol, true;
    if ((in_ == a_symbol || half_flag) && (stays || (before == zero_width_joiner && !word)))
      return in_ = a_symbol, true;
    in_ = word ? a_word : stays ? marks_alone : is_flag_letter(c) ? half_of_flag : a_symbol;
    return false;
  }

 private:
  const std::u32string_view text_;
  enum { nothing, a_word, a_symbol, half_of_flag, marks_alone } in_ = nothing;
};

template <class OnToken>
void split(std::string_view line, const WordOptions& options, Tokens& tokens,
           const OnToken& on_token) {
  std::u32string text = decode_utf8(composed(line, options.lowercase));
  Continues continues(text);
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool more = continues(i);
    if (is_space(text[i])) {
      blank = true;
      continue;
    }
    if (!more) {
      tokens.emplace_back();
      on_token(blank);
      blank = false;
    }
    append_utf8(tokens.back(), text[i]);
  }
}

}  // namespace

Tokens split_words(std::string_view line, const WordOptions& options) {
  Tokens tokens;
  split(line, options, tokens, [](bool) {});
  return tokens;
}

SpacedTokens split_words_and_blanks(std::string_view line, const WordOptions& options) {
  SpacedTokens words;
  split(line, options, words.tokens, [&](bool blank) { words.blank_before.push_back(blank); });
  return words;
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
