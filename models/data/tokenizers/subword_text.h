// Converts a line to the form that SentencePiece gets, and back without loss: composed (NFC),
// lower-cased if requested, with U+2581 (SentencePiece's mark for a blank) escaped.
//   U+2581 -> U+E000 _      U+E000 -> U+E000 U+E000
#pragma once

#include <string>
#include <string_view>

namespace slope::data {

inline constexpr std::string_view blank_mark = "\xE2\x96\x81";  // U+2581

std::string to_subword_text(std::string_view line, bool lowercase);
std::string from_subword_text(std::string_view text);  // invalid escapes stay as they are

// Calls f(part) for the parts of a line, each at most `bytes` bytes. A part ends before the last
// blank that fits, which no subword crosses, or between any two characters if there is none.
template <class F>
void for_each_part(std::string_view line, size_t bytes, const F& f) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (line.size() > bytes) {
    size_t end = line.rfind(' ', bytes);
    if (end == line.npos || end == 0) end = bytes;
    while (end > 1 && continues(line[end])) --end;
    f(line.substr(0, end));
    line.remove_prefix(end);
  }
  if (!line.empty()) f(line);
}

}  // namespace slope::data
