#include <slope/models/data/text/unicode.h>
#include <slope/models/data/tokenizers/subword_text.h>

namespace slope::data {
namespace {

constexpr std::string_view escape = "\xEE\x80\x80";  // U+E000

}  // namespace

std::string to_subword_text(std::string_view line, bool lowercase) {
  const std::string plain = composed(line, lowercase);
  if (plain.find(blank_mark) == plain.npos && plain.find(escape) == plain.npos) return plain;
  std::string text;
  for (std::string_view rest = plain; !rest.empty();) {
    const bool is_blank = rest.starts_with(blank_mark), is_escape = rest.starts_with(escape);
    if (is_blank || is_escape) text += escape;
    text += is_blank ? "_" : is_escape ? escape : rest.substr(0, 1);
    rest.remove_prefix(is_blank || is_escape ? blank_mark.size() : 1);
  }
  return text;
}

std::string from_subword_text(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t at = text.find(escape);
    line += text.substr(0, at);
    if (at == text.npos) break;
    text.remove_prefix(at + escape.size());
    if (text.starts_with('_')) {
      line += blank_mark;
      text.remove_prefix(1);
    } else {
      line += escape;
      if (text.starts_with(escape)) text.remove_prefix(escape.size());
    }
  }
  return line;
}

}  // namespace slope::data
