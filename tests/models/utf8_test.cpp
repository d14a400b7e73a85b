// The sections of Markus Kuhn's UTF-8 decoder stress test: well-formed text comes back unchanged,
// malformed text is reported with its byte.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/text/utf8.h>

#include <vector>

using namespace slope::data;
using std::string;

TEST_CASE("utf8: every code point but the surrogates round trips") {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    string text;
    append_utf8(text, c);
    if (find_utf8_error(text) || decode_utf8(text) != std::u32string(1, c)) FAIL("U+", c);
  }
  const string text = "κόσμε, Größe, 日本, 😀";
  CHECK(encode_utf8(decode_utf8(text)) == text);
}

TEST_CASE("utf8: first and last of each length, and non-characters, are well-formed") {
  for (const string& text :
       {string(1, '\0'), string("\x7F"), string("\xC2\x80"), string("\xDF\xBF"),
        string("\xE0\xA0\x80"), string("\xEF\xBF\xBF"), string("\xF0\x90\x80\x80"),
        string("\xF4\x8F\xBF\xBF"), string("\xED\x9F\xBF"), string("\xEE\x80\x80"),
        string("\xEF\xBF\xBD"), string("\xEF\xBF\xBE"), string("\xEF\xB7\x90"),
        string("\xF0\x9F\xBF\xBE"), string()})
    CHECK_FALSE(find_utf8_error(text));
}

TEST_CASE("utf8: ill-formed sequences are found at their first byte, with the reason") {
  struct Case {
    string bytes;
    const char* reason;
  };
  const char *lone = "continuation byte without a lead byte",
             *never = "a byte that UTF-8 never uses",
             *cut = "sequence cut off by the end of the text",
             *short_ = "sequence cut short by another character", *overlong = "overlong form",
             *surrogate = "surrogate", *beyond = "beyond U+10FFFF";
  std::vector<Case> cases = {
      {"\x80", lone},
      {"\xBF", lone},
      {"\x80\xBF", lone},
      {"\x80\xBF\x80\xBF\x80\xBF\x80", lone},
      {"\xC3", cut},
      {"\xE2\x82", cut},
      {"\xE2", cut},
      {"\xF0\x9F\x98", cut},
      {"\xF0\x9F", cut},
      {"\xF0", cut},
      {"\xC3 ", short_},
      {"\xE2\x82 ", short_},
      {"\xE2 \x82", short_},
      {"\xF0\x9F\x98 ", short_},
      {"\xC3\xC3\xA9", short_},
      {"\xF0\x9F\n", short_},
      {"\xC0\xAF", overlong},
      {"\xE0\x80\xAF", overlong},
      {"\xF0\x80\x80\xAF", overlong},
      {"\xC1\xBF", overlong},
      {"\xE0\x9F\xBF", overlong},
      {"\xF0\x8F\xBF\xBF", overlong},
      {"\xC0\x80", overlong},
      {"\xE0\x80\x80", overlong},
      {"\xF0\x80\x80\x80", overlong},
      {"\xED\xA0\x80", surrogate},
      {"\xED\xAD\xBF", surrogate},
      {"\xED\xAE\x80", surrogate},
      {"\xED\xAF\xBF", surrogate},
      {"\xED\xB0\x80", surrogate},
      {"\xED\xBE\x80", surrogate},
      {"\xED\xBF\xBF", surrogate},
      {"\xED\xA0\x80\xED\xB0\x80", surrogate},
      {"\xED\xAF\xBF\xED\xBF\xBF", surrogate},
      {"\xF4\x90\x80\x80", beyond},
      {"\xF7\xBF\xBF\xBF", beyond},
      {"\xF5\x80\x80\x80", beyond},
      {"\xF8\x88\x80\x80\x80", never},
      {"\xFB\xBF\xBF\xBF\xBF", never},
      {"\xFC\x84\x80\x80\x80\x80", never},
      {"\xFD\xBF\xBF\xBF\xBF\xBF", never},
      {"\xFE", never},
      {"\xFF", never},
      {"\xFE\xFE\xFF\xFF", never},
      {"\xF8\x80\x80\x80\xAF", never},
      {"\xFC\x80\x80\x80\x80\xAF", never},
  };
  for (int lead = 0xC2; lead <= 0xF4; ++lead)
    cases.push_back({string(1, static_cast<char>(lead)) + " ", short_});  // Kuhn 3.2
  for (int byte = 0x80; byte <= 0xBF; ++byte)
    cases.push_back({string(1, static_cast<char>(byte)), lone});  // Kuhn 3.1.9
  for (const Case& c : cases) {
    const string& bytes = c.bytes;
    const char* reason = c.reason;
    CAPTURE(reason);
    const auto alone = find_utf8_error(bytes),
               inside = find_utf8_error("Straße " + bytes + (reason == cut ? "" : " x"));
    REQUIRE(alone);
    REQUIRE(inside);
    CHECK(alone->offset == 0);
    CHECK(inside->offset == 8);
    CHECK(string(alone->reason) == reason);
    CHECK(string(inside->reason) == reason);
    CHECK_THROWS_AS((void)decode_utf8(bytes), slope::InputError);
  }
}

TEST_CASE("utf8: the error names file, byte and line") {
  CHECK_NOTHROW(check_utf8("fine\n", "a.txt"));
  CHECK_THROWS_WITH_AS(
      check_utf8("one\ntwo\xC0\xAF\n", "a.txt"),
      "a.txt: not valid UTF-8 at byte 7 (line 2): overlong form; convert the text to UTF-8",
      slope::InputError);
}
