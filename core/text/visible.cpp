#include <slope/core/text/visible.h>
#include <slope/core/text/visible_json.h>

#include <fmt/format.h>

#include <cstdint>

namespace slope {

namespace {

struct Character {
  uint32_t point;  // of a malformed one, its byte
  size_t bytes;
  bool is_malformed = false;
};

// The first character of a text that is not empty, or its first byte if no UTF-8 character begins
// there.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {lead, 1, true};
  uint32_t point = lead & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, true};
    point = point << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // smaller ones are overlong
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < least[bytes] || is_surrogate || point > 0x10FFFF) return {lead, 1, true};
  return {point, bytes};
}

// Whether a terminal acts on `c`: control characters, direction marks, line and paragraph
// separators.
bool is_obeyed(uint32_t c) {
  const bool is_control = c < ' ' || (c >= 0x7F && c < 0xA0);
  const bool is_direction = c == 0x61C || c == 0x200E || c == 0x200F ||
                            (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return is_control || is_direction || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string result;
  for (Character c{}; !text.empty(); text.remove_prefix(c.bytes)) {
    c = first_character(text);
    if (c.is_malformed || is_obeyed(c.point))
      result +=
          c.point < 0x100 ? fmt::format("\\x{:02x}", c.point) : fmt::format("\\u{:04x}", c.point);
    else
      result += text.substr(0, c.bytes);
  }
  return result;
}

std::string brief(std::string_view text) {
  std::string_view rest = text;
  for (int shown = 0; shown < 80 && !rest.empty(); ++shown)
    rest.remove_prefix(first_character(rest).bytes);
  return std::string(text.substr(0, text.size() - rest.size())) + (rest.empty() ? "" : "…");
}

std::string visible_json(std::string_view json) {
  std::string result;
  for (Character c{}; !json.empty(); json.remove_prefix(c.bytes)) {
    c = first_character(json);
    if (c.point >= 0x7F && is_obeyed(c.point))
      result += fmt::format("\\u{:04x}", c.point);
    else
      result += json.substr(0, c.bytes);
  }
  return result;
}

}  // namespace slope
