// JsonReader: a strict reader of the subset of JSON that file headers need: objects, arrays,
// strings and 64-bit integers. It refuses what lenient readers accept and attackers use: duplicate
// keys, lone surrogates, invalid UTF-8, NUL, a byte order mark, numbers that are not integers or do
// not fit, nesting deeper than 8. It builds no tree: the caller states what must come next. Errors:
// InputError with the byte offset.
#pragma once

#include <slope/core/error.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace slope {

class JsonReader {
 public:
  // Messages begin with `where`; `offset`, the position of the text in its file, is added to
  // positions. Both texts must outlive the reader.
  JsonReader(std::string_view text, std::string_view where, size_t offset = 0)
      : text_(text), where_(where), offset_(offset) {}

  template <class F>
  void object(F&& member) {  // member(const std::string& key) reads the value
    std::set<std::string> keys;
    enter('{');
    for (bool first = true; another('}', first); first = false) {
      const size_t at = at_;
      const auto [key, is_new] = keys.insert(string());
      if (!is_new) fail(at, "the key {} appears twice", quoted(*key));
      expect(':');
      member(*key);
    }
  }
  template <class F>
  void array(F&& element) {  // element() reads the value
    enter('[');
    for (bool first = true; another(']', first); first = false) element();
  }
  std::string string();
  int64_t integer();

  // skips white space; returns the next character, '\0' at the end
  char peek();
  size_t position() const { return at_; }  // in `text`
  std::string_view rest() const { return text_.substr(at_); }

  template <class... Args>
  [[noreturn]] void fail(size_t at, fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(fmt::format("{}: {} at byte {}", where_,
                                 fmt::format(format, std::forward<Args>(args)...), offset_ + at));
  }

  // as messages show it: one line, at most 80 characters
  static std::string quoted(std::string_view text);
  // as JSON writes it, quotes included; bytes that are not UTF-8 become U+FFFD
  static std::string escaped(std::string_view text);
  static std::string number(double x);  // nan and infinities, which JSON lacks, as strings

 private:
  void enter(char open);
  bool another(char close, bool first);  // advances to the next member or element, or past the end
  void expect(char c);
  std::string found() const;  // for messages
  void escape_sequence(std::string& out);
  unsigned hex4(size_t escape);

  static constexpr int max_depth = 8;
  std::string_view text_, where_;
  size_t offset_, at_ = 0;
  int depth_ = 0;
};

// Length in bytes of the valid UTF-8 sequence at the start of `text`, 0 if there is none (overlong,
// surrogate, beyond U+10FFFF, truncated).
size_t utf8_length(std::string_view text);
bool is_text(std::string_view text);  // valid UTF-8 without NUL, as JSON strings must be here

}  // namespace slope
