// Strict UTF-8: ill-formed text (Unicode 15, table 3-7) is an error that names the file and the
// byte, never a replacement character.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace slope::data {

struct Utf8Error {
  size_t offset;       // of the first byte of the ill-formed sequence
  const char* reason;  // "overlong form", "surrogate", …
};

// The first fault of a text; empty if the text is well-formed.
std::optional<Utf8Error> find_utf8_error(std::string_view text);

// U+FEFF, with which some editors begin a file
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// What precedes a part of a text: positions in errors count from the beginning of the whole.
struct TextBefore {
  size_t bytes = 0, lines = 0;
};

// InputError "FILE: not valid UTF-8 at byte 17 (line 2): overlong form …".
void check_utf8(std::string_view text, std::string_view file, const TextBefore& before = {});

// InputError on the first ill-formed sequence, with its offset in this text.
std::u32string decode_utf8(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);
std::string encode_utf8(std::u32string_view code_points);

}  // namespace slope::data
