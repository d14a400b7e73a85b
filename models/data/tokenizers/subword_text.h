// A line as SentencePiece is given it, and back, so that nothing is lost: composed (NFC),
// lower-cased where that is asked for, and with U+2581, by which SentencePiece means a blank,
// escaped.
//   U+2581 -> U+E000 _      U+E000 -> U+E000 U+E000
#pragma once

#include <string>
#include <string_view>

namespace slope::data {

std::string to_subword_text(std::string_view line, bool lowercase);
std::string from_subword_text(std::string_view text);  // what is no escape stays as it is

// Lines in parts of about `bytes`, each of which but the first begins with a blank where the line
// has one: a subword never reaches over that place.
template <class F>
void for_each_part(std::string_view line, size_t bytes, const F& f) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (line.size() > bytes) {
    size_t end = line.rfind(' ', bytes);
    if (end == line.npos || end == 0) end = bytes;  // no blank: between any two characters
    while (end > 1 && continues(line[end])) --end;
    f(line.substr(0, end));
    line.remove_prefix(end);
  }
  if (!line.empty()) f(line);
}

}  // namespace slope::data
