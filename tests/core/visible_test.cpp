// Untrusted text on a terminal: nothing in it may move the cursor, reverse the line or end
// it.
#include <slope/core/text/visible.h>
#include <slope/core/text/visible_json.h>

#include <doctest/doctest.h>

using slope::visible;

TEST_CASE("visible: letters of all scripts and symbols stay as they are") {
  for (const char* text : {"", "a b", "Straße", "日本語", "שלום", "🙂", "e\u0301", "…"})
    CHECK(visible(text) == text);
}

TEST_CASE("visible: what a terminal obeys is escaped") {
  CHECK(visible("a\x1b[2J") == "a\\x1b[2J");
  CHECK(visible(std::string("\0\n\r\t\x7f", 5)) == "\\x00\\x0a\\x0d\\x09\\x7f");
  CHECK(visible("\u0080|\u009b") == "\\x80|\\x9b");       // C1, the one-byte ESC [
  CHECK(visible("\u00a0") == "\u00a0");                   // the first that is not a control
  CHECK(visible("x\u202etxt.exe") == "x\\u202etxt.exe");  // right-to-left override
  CHECK(visible("\u200e\u200f\u061c") == "\\u200e\\u200f\\u061c");  // direction marks
  CHECK(visible("\u2066\u2069\u202a") == "\\u2066\\u2069\\u202a");
  CHECK(visible("\u2028\u2029") == "\\u2028\\u2029");  // line and paragraph separators
}

TEST_CASE("visible: a long text is cut off after 80 characters, never inside one") {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "ü";
  CHECK(slope::brief("") == "");
  CHECK(slope::brief(text) == text);
  CHECK(slope::brief(text + "ü") == text + "…");
  CHECK(slope::brief(std::string(60'000, '\xff')) == std::string(80, '\xff') + "…");
}

TEST_CASE("visible: JSON keeps its meaning and its layout") {
  CHECK(slope::visible_json("{\n \"ü\u009b\": \"\u202e🙂\x7f\"\n}") ==
        "{\n \"ü\\u009b\": \"\\u202e🙂\\u007f\"\n}");
}

TEST_CASE("visible: bytes that are not UTF-8 are escaped, and nothing is read past the end") {
  CHECK(visible("\xc2") == "\\xc2");
  CHECK(visible("\xe2\x80") == "\\xe2\\x80");
  CHECK(visible("\xe2(\x80") == "\\xe2(\\x80");
  CHECK(visible("\x9b"
                "2J") == "\\x9b2J");  // ESC [ on an eight-bit terminal
  CHECK(visible("\xc0\x9b") == "\\xc0\\x9b");
  CHECK(visible("\xff\xf5") == "\\xff\\xf5");
}

TEST_CASE("visible: overlong forms, surrogates and numbers above U+10FFFF are not UTF-8") {
  CHECK(visible("\xe0\x9f\xbf") == "\\xe0\\x9f\\xbf");  // U+07FF in three bytes
  CHECK(visible("\xe0\xa0\x80") == "\u0800");
  CHECK(visible("\xe0\x82\x9b") == "\\xe0\\x82\\x9b");           // U+009B, ESC [, in three
  CHECK(visible("\xf0\x8f\xbf\xbf") == "\\xf0\\x8f\\xbf\\xbf");  // U+FFFF in four
  CHECK(visible("\xf0\x90\x80\x80") == "\U00010000");
  CHECK(visible("\xed\x9f\xbf") == "\ud7ff");
  CHECK(visible("\xed\xa0\x80|\xed\xbf\xbf") == "\\xed\\xa0\\x80|\\xed\\xbf\\xbf");
  CHECK(visible("\xee\x80\x80") == "\ue000");
  CHECK(visible("\xf4\x8f\xbf\xbf") == "\U0010ffff");
  CHECK(visible("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}
