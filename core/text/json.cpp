#include <slope/core/text/json.h>

#include <cmath>

namespace slope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // continuation bytes
  constexpr unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(lead[more] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

}  // namespace

// Unicode 15, table 3-7: the range of the second byte depends on the first, the others are 80..BF.
size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned b = byte(0);
  if (b < 0x80) return 1;
  const size_t length = b >= 0xC2 && b <= 0xDF   ? 2
                        : b >= 0xE0 && b <= 0xEF ? 3
                        : b >= 0xF0 && b <= 0xF4 ? 4
                                                 : 0;
  if (length == 0) return 0;
  const unsigned low = b == 0xE0   ? 0xA0
                       : b == 0xF0 ? 0x90
                                   : 0x80,
                 high = b == 0xED   ? 0x9F
                        : b == 0xF4 ? 0x8F
                                    : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

bool is_text(std::string_view text) {
  for (size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0 || text[0] == '\0') return false;
  }
  return true;
}

char JsonReader::peek() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::string JsonReader::found() const {
  return at_ < text_.size() ? quoted(text_.substr(at_, 1)) : "the end";
}

void JsonReader::expect(char c) {
  if (peek() != c || at_ == text_.size()) fail(at_, "expected '{}', found {}", c, found());
  ++at_;
}

void JsonReader::enter(char open) {
  expect(open);
  if (++depth_ > max_depth) fail(at_ - 1, "nesting deeper than {}", max_depth);
}

bool JsonReader::another(char close, bool first) {
  const char c = peek();
  if (c == close) {
    ++at_;
    --depth_;
    return false;
  }
  if (first) return true;
  if (c != ',') fail(at_, "expected ',' or '{}', found {}", close, found());
  ++at_;
  peek();
  return true;
}

std::string JsonReader::string() {
  if (peek() != '"') fail(at_, "expected a string, found {}", found());
  const size_t begin = at_++;
  std::string out;
  while (true) {
    if (at_ == text_.size()) fail(begin, "the string does not end");
    const char c = text_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20)
      fail(at_, "a string holds the control character {:#04x}", static_cast<unsigned char>(c));
    if (c == '\\') {
      escape_sequence(out);
      continue;
    }
    const size_t length = utf8_length(text_.substr(at_));
    if (length == 0) fail(at_, "a string is not valid UTF-8");
    out.append(text_.substr(at_, length));
    at_ += length;
  }
  ++at_;
  return out;
}

void JsonReader::escape_sequence(std::string& out) {
  const size_t begin = at_++;
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  if (const size_t i = letters.find(c); i != letters.npos) {
    out += meanings[i];
    return;
  }
  if (c != 'u') fail(begin, "a string holds an unknown escape");
  unsigned code = hex4(begin);
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const unsigned low = hex4(begin);
    if (low < 0xDC00 || low > 0xDFFF) fail(begin, "a string holds a lone surrogate");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) fail(begin, "a string holds a lone surrogate");
  if (code == 0) fail(begin, "a string holds NUL");
  append_utf8(out, code);
}

unsigned JsonReader::hex4(size_t escape) {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0', lower = static_cast<char>(c | 0x20);
    if (is_digit(c))
      code = code * 16 + static_cast<unsigned>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      code = code * 16 + static_cast<unsigned>(lower - 'a') + 10;
    else
      fail(escape, "\\u needs four hexadecimal digits");
  }
  return code;
}

int64_t JsonReader::integer() {
  const char c = peek();
  const size_t begin = at_;
  const bool negative = c == '-';
  if (negative) ++at_;
  if (at_ == text_.size() || !is_digit(text_[at_]))
    fail(begin, "expected an integer, found {}", found());
  if (text_[at_] == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))
    fail(begin, "a number begins with 0");
  int64_t value = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
    const int digit = text_[at_] - '0';
    // negative until the end: -2^63 fits in 64 bits, 2^63 does not
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, digit, &value))
      fail(begin, "the number does not fit in 64 bits");
  }
  if (at_ < text_.size() && (text_[at_] == '.' || (text_[at_] | 0x20) == 'e'))
    fail(begin, "expected an integer, found a fraction");
  if (negative && value == 0) fail(begin, "expected an integer, found -0");
  if (!negative && __builtin_sub_overflow(0, value, &value))
    fail(begin, "the number does not fit in 64 bits");
  return value;
}

std::string JsonReader::escaped(std::string_view text) {
  constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  std::string out = "\"";
  for (size_t length = 0; !text.empty(); text.remove_prefix(std::max<size_t>(length, 1))) {
    const char c = text[0];
    length = utf8_length(text);
    if (length == 0)
      out += "\\ufffd";
    else if (const size_t i = special.find(c); i != special.npos)
      out += {'\\', letters[i]};
    else if (length == 1 && c < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += text.substr(0, length);
  }
  return out += '"';
}

std::string JsonReader::number(double x) {
  if (std::isnan(x)) return "\"nan\"";  // whatever its sign, which differs from CPU to CPU
  return std::isfinite(x) ? fmt::format("{}", x) : fmt::format("\"{}\"", x);
}

std::string JsonReader::quoted(std::string_view text) {
  std::string clean;
  size_t shown = 0;
  while (!text.empty() && shown < 80) {
    const size_t length = utf8_length(text);
    if (length == 0 || text[0] == 0x7F)
      clean += fmt::format("<{:02x}>", static_cast<unsigned char>(text[0]));
    else
      clean.append(text.substr(0, length));
    text.remove_prefix(std::max<size_t>(length, 1));
    ++shown;
  }
  return escaped(clean + (text.empty() ? "" : "…"));
}

}  // namespace slope
