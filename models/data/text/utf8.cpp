#include <slope/core/error.h>
#include <slope/models/data/text/utf8.h>

#include <algorithm>

namespace slope::data {
namespace {

struct Decoded {
  char32_t code_point = 0;
  size_t length = 0;
  const char* fault = nullptr;
};

Decoded fault(const char* reason) { return {.fault = reason}; }

// One code point from the front of a text that is not empty.
//   0xxxxxxx   110xxxxx 10xxxxxx   1110xxxx 10xxxxxx 10xxxxxx   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
Decoded decode_first(std::string_view text) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC0) return fault("continuation byte without a lead byte");
  if (lead > 0xF7) return fault("a byte that UTF-8 never uses");
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  char32_t c = lead & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if (k == text.size()) return fault("sequence cut off by the end of the text");
    if ((byte(k) & 0xC0) != 0x80) return fault("sequence cut short by another character");
    c = c << 6 | (byte(k) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < least[length]) return fault("overlong form");
  if (c >= 0xD800 && c <= 0xDFFF) return fault("surrogate");
  if (c > 0x10FFFF) return fault("beyond U+10FFFF");
  return {c, length};
}

}  // namespace

std::optional<Utf8Error> find_utf8_error(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Decoded d = decode_first(text.substr(i));
    if (d.fault) return Utf8Error{i, d.fault};
    i += d.length;
  }
  return std::nullopt;
}

void check_utf8(std::string_view text, std::string_view file, const TextBefore& before) {
  const auto error = find_utf8_error(text);
  if (!error) return;
  const auto at = text.begin() + static_cast<std::ptrdiff_t>(error->offset);
  const auto line = before.lines + 1 + static_cast<size_t>(std::count(text.begin(), at, '\n'));
  throw InputError(
      fmt::format("{}: not valid UTF-8 at byte {} (line {}): {}; convert the text to UTF-8", file,
                  before.bytes + error->offset, line, error->reason));
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string code_points;
  code_points.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Decoded d = decode_first(text.substr(i));
    SLOPE_CHECK_INPUT(!d.fault, "text: not valid UTF-8 at byte {}: {}", i, d.fault);
    code_points += d.code_point;
    i += d.length;
  }
  return code_points;
}

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  const auto continuation = [&](int shift) { put(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), continuation(0);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), continuation(6), continuation(0);
  } else {
    put(0xF0 | c >> 18), continuation(12), continuation(6), continuation(0);
  }
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string text;
  text.reserve(code_points.size());
  for (char32_t c : code_points) append_utf8(text, c);
  return text;
}

}  // namespace slope::data
