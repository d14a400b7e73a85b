// sacreBLEU's default tokenizer, 13a: the rules of mteval-v13a, in their order. They concern ASCII
// only (“German quotes” stay with their word), so that bytes of UTF-8 can serve as characters here;
// only white space is Unicode's.
#include <slope/models/data/metrics/bleu.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>

namespace slope::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }
bool is_symbol(char c) {  // [\{-\~\[-\` -\&\(-\+\:-\@\/]: a space, ASCII punctuation but ' , - .
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string without_trailing_space(std::string_view line) {
  std::u32string text = decode_utf8(line);
  while (!text.empty() && is_space(text.back())) text.pop_back();
  return encode_utf8(text);
}

// Every pair of adjacent characters "ab" that the test accepts, from left to right without overlap,
// becomes before + a + between + b + after.
template <class Test>
std::string space_pairs(const std::string& text, Test&& accepts, std::string_view before,
                        std::string_view between, std::string_view after) {
  std::string spaced;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && accepts(text[i], text[i + 1])) {
      spaced.append(before).append(1, text[i]).append(between).append(1, text[i + 1]).append(after);
      ++i;
    } else {
      spaced += text[i];
    }
  }
  return spaced;
}

}  // namespace

Tokens split_13a(std::string_view line) {
  std::string text = without_trailing_space(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  for (const auto& [entity, character] :
       {std::pair("&quot;", "\""), {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}})
    replace_all(text, entity, character);
  std::string spaced;
  for (char c : " " + text + " ") {
    if (is_symbol(c))
      spaced.append(1, ' ').append(1, c).append(1, ' ');
    else
      spaced += c;
  }
  spaced = space_pairs(
      spaced, [](char a, char b) { return !is_digit(a) && is_stop(b); }, "", " ", " ");
  spaced = space_pairs(
      spaced, [](char a, char b) { return is_stop(a) && !is_digit(b); }, " ", " ", "");
  spaced = space_pairs(
      spaced, [](char a, char b) { return is_digit(a) && b == '-'; }, "", " ", " ");
  return split_spaces(spaced);
}

}  // namespace slope::data
