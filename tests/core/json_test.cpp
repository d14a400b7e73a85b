// The strict JSON reader: what is accepted, what is refused and where.
#include <slope/core/text/json.h>

#include <doctest/doctest.h>

#include <vector>

using namespace slope;

namespace {

void read_any(JsonReader& json) {  // any value of the grammar
  switch (json.peek()) {
    case '{': json.object([&](const std::string&) { read_any(json); }); break;
    case '[': json.array([&] { read_any(json); }); break;
    case '"': (void)json.string(); break;
    default: (void)json.integer();
  }
}

std::string verdict(std::string_view text) {  // "" if accepted
  JsonReader json(text, "t");
  try {
    read_any(json);
    if (json.peek() != '\0' || json.position() != text.size())
      json.fail(json.position(), "more follows");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string string_of(std::string_view text) { return JsonReader(text, "t").string(); }
int64_t integer_of(std::string_view text) { return JsonReader(text, "t").integer(); }

std::string nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

}  // namespace

TEST_CASE("json: values") {
  CHECK(string_of(R"("a\"\\\/\b\f\n\r\tz")") == "a\"\\/\b\f\n\r\tz");
  CHECK(string_of(R"("\u0041\u00e9\u20AC\ud83d\uDE00")") == "Aé€😀");
  CHECK(string_of("\"äöü 😀\"") == "äöü 😀");
  CHECK(integer_of("0") == 0);
  CHECK(integer_of("-12") == -12);
  CHECK(integer_of("9223372036854775807") == INT64_MAX);
  CHECK(integer_of("-9223372036854775808") == INT64_MIN);
  std::string keys;
  JsonReader json(" { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", "t");
  int64_t sum = 0;
  json.object([&](const std::string& key) {
    keys += key;
    if (key == "a")
      json.array([&] { sum += json.integer(); });
    else
      json.object([](const std::string&) { FAIL("empty"); });
  });
  CHECK(keys == "ab");
  CHECK(sum == 3);
}

TEST_CASE("json: accepted texts") {
  for (const char* text :
       {"{}", "[]", " [ ] ", "[1]", "[-1]", "[10,20]", R"({"":1})", R"({"a":1,"A":2})",
        R"(["\u0001"])", R"({"a":{"a":1}})", "\"\"", "\t[\r\n1 ]", "\"\x7f\"",
        R"(["\ud800\udc00"])", R"(["\udbff\udfff"])", "\"\xF4\x8F\xBF\xBF\"", "\"\xEF\xBF\xBE\"",
        "[[[[[[[[1]]]]]]]]", R"({"\u0061b":1})"})
    CHECK_MESSAGE(verdict(text) == "", text);
}

TEST_CASE("json: refused texts, with the place") {
  struct Case {
    std::string text, message;
  };
  const std::string nul(1, '\0');
  const std::vector<Case> cases = {
      {"", "expected an integer, found the end at byte 0"},
      {"[", "expected an integer, found the end at byte 1"},
      {"[1", "expected ',' or ']', found the end at byte 2"},
      {"[1,", "found the end at byte 3"},
      {"[1,]", "expected an integer, found \"]\" at byte 3"},
      {"[,1]", "found \",\" at byte 1"},
      {"[1 2]", "expected ',' or ']', found \"2\" at byte 3"},
      {"[1]]", "more follows at byte 3"},
      {"[1],", "more follows at byte 3"},
      {"]", "found \"]\" at byte 0"},
      {"}", "found \"}\" at byte 0"},
      {"[1}", "expected ',' or ']', found \"}\" at byte 2"},
      {"{", "expected a string, found the end at byte 1"},
      {"{\"a\"", "expected ':', found the end at byte 4"},
      {"{\"a\":", "found the end at byte 5"},
      {"{\"a\":1", "expected ',' or '}', found the end at byte 6"},
      {"{\"a\":1,", "expected a string, found the end at byte 7"},
      {"{\"a\":1,}", "expected a string, found \"}\" at byte 7"},
      {"{\"a\" 1}", "expected ':', found \"1\" at byte 5"},
      {"{\"a\":1 \"b\":2}", "expected ',' or '}', found \"\\\"\" at byte 7"},
      {"{a:1}", "expected a string, found \"a\" at byte 1"},
      {"{'a':1}", "expected a string, found \"'\" at byte 1"},
      {"{1:1}", "expected a string, found \"1\" at byte 1"},
      {"{\"a\":1,\"a\":2}", "the key \"a\" appears twice at byte 7"},
      {R"({"a":1,"\u0061":2})", "the key \"a\" appears twice at byte 7"},
      {R"({"a":1,"b":2,"a":1})", "appears twice at byte 13"},
      {R"({"x":{"a":1,"a":1}})", "appears twice at byte 12"},
      {"{\"\":1,\"\":2}", "the key \"\" appears twice"},
      {"\xEF\xBB\xBF{}", "at byte 0"},
      {"true", "found \"t\" at byte 0"},
      {"[null]", "found \"n\" at byte 1"},
      {"[NaN]", "found \"N\" at byte 1"},
      {"[nan]", "found \"n\" at byte 1"},
      {"[Infinity]", "found \"I\" at byte 1"},
      {"[-Infinity]", "expected an integer, found \"I\" at byte 1"},
      {"[1.0]", "found a fraction at byte 1"},
      {"[1e3]", "found a fraction at byte 1"},
      {"[1E400]", "found a fraction at byte 1"},
      {"[1e400]", "found a fraction at byte 1"},
      {"[0.5]", "found a fraction at byte 1"},
      {"[.5]", "found \".\" at byte 1"},
      {"[5.]", "found a fraction at byte 1"},
      {"[+1]", "found \"+\" at byte 1"},
      {"[-]", "found \"]\" at byte 1"},
      {"[--1]", "found \"-\" at byte 1"},
      {"[- 1]", "found \" \" at byte 1"},
      {"[01]", "begins with 0 at byte 1"},
      {"[-01]", "begins with 0 at byte 1"},
      {"[00]", "begins with 0 at byte 1"},
      {"[-0]", "found -0 at byte 1"},
      {"[0x10]", "expected ',' or ']', found \"x\" at byte 2"},
      {"[1_000]", "found \"_\" at byte 2"},
      {"[1L]", "found \"L\" at byte 2"},
      {"[9223372036854775808]", "does not fit in 64 bits at byte 1"},
      {"[-9223372036854775809]", "does not fit in 64 bits at byte 1"},
      {"[18446744073709551616]", "does not fit in 64 bits at byte 1"},
      {"[1" + std::string(400, '0') + "]", "does not fit in 64 bits at byte 1"},
      {"[1] // c", "more follows at byte 4"},
      {"/**/[1]", "found \"/\" at byte 0"},
      {"\"", "the string does not end at byte 0"},
      {"\"a", "the string does not end at byte 0"},
      {"\"\\\"", "the string does not end at byte 0"},
      {"\"\\", "unknown escape at byte 1"},
      {"'a'", "found \"'\" at byte 0"},
      {R"("\a")", "unknown escape at byte 1"},
      {R"("\x41")", "unknown escape at byte 1"},
      {R"("\U0041")", "unknown escape at byte 1"},
      {R"("\0")", "unknown escape at byte 1"},
      {R"("\u")", "four hexadecimal digits at byte 1"},
      {R"("\u12")", "four hexadecimal digits at byte 1"},
      {R"("\u12g4")", "four hexadecimal digits at byte 1"},
      {R"("\u 123")", "four hexadecimal digits at byte 1"},
      {"\"\\u123", "four hexadecimal digits at byte 1"},
      {R"("\ud800")", "lone surrogate at byte 1"},
      {R"("\ud800x")", "lone surrogate at byte 1"},
      {R"("\ud800\n")", "lone surrogate at byte 1"},
      {R"("\ud800\u0041")", "lone surrogate at byte 1"},
      {R"("\ud800\ud800")", "lone surrogate at byte 1"},
      {R"("\udc00")", "lone surrogate at byte 1"},
      {R"("\udc00\ud800")", "lone surrogate at byte 1"},
      {R"("ab\udfff")", "lone surrogate at byte 3"},
      {R"("\u0000")", "NUL at byte 1"},
      {"\"a" + nul + "b\"", "control character 0x00 at byte 2"},
      {"\"\n\"", "control character 0x0a at byte 1"},
      {"\"\t\"", "control character 0x09 at byte 1"},
      {"\"\x1f\"", "control character 0x1f at byte 1"},
      {"[1" + nul + "]", "at byte 2"},
      {"[1]" + nul, "more follows at byte 3"},
      {nul, "at byte 0"},
      {"[\v1]", "at byte 1"},
      {"[\f1]", "at byte 1"},
      {"[\u00a01]", "at byte 1"},
      {"[\xE2\x80\xA8"
       "1]",
       "at byte 1"},
      {"\"\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xBF\"", "not valid UTF-8 at byte 1"},
      {"\"\xC0\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xC1\xBF\"", "not valid UTF-8 at byte 1"},
      {"\"\xC3\"", "not valid UTF-8 at byte 1"},
      {"\"\xC3\x28\"", "not valid UTF-8 at byte 1"},
      {"\"\xE0\x80\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xE0\x9F\xBF\"", "not valid UTF-8 at byte 1"},
      {"\"\xE2\x82\"", "not valid UTF-8 at byte 1"},
      {"\"\xED\xA0\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xED\xBF\xBF\"", "not valid UTF-8 at byte 1"},
      {"\"\xF0\x80\x80\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xF0\x8F\xBF\xBF\"", "not valid UTF-8 at byte 1"},
      {"\"\xF0\x9F\x98\"", "not valid UTF-8 at byte 1"},
      {"\"\xF4\x90\x80\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xF5\x80\x80\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xF8\x88\x80\x80\x80\"", "not valid UTF-8 at byte 1"},
      {"\"\xFE\"", "not valid UTF-8 at byte 1"},
      {"\"\xFF\"", "not valid UTF-8 at byte 1"},
      {"\"abc\xE4\"", "not valid UTF-8 at byte 4"},
      {"{\"\xE4\":1}", "not valid UTF-8 at byte 2"},
      {nested(9), "nesting deeper than 8 at byte 8"},
      {nested(1'000'000), "nesting deeper than 8 at byte 8"},
      {std::string(1'000'000, '['), "nesting deeper than 8 at byte 8"},
      {R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}})", "nesting deeper than 8"},
  };
  for (const Case& c : cases) {
    const std::string &text = c.text, &message = c.message;
    CAPTURE(text.substr(0, 80));
    const std::string got = verdict(text);
    CHECK_MESSAGE(got.find(message) != got.npos, got);
    CHECK(got.find('\n') == got.npos);
  }
  CHECK(cases.size() >= 110);
}

TEST_CASE("json: all prefixes and all single-byte changes of a text end in a verdict") {
  const std::string text =
      R"({"a":{"dtype":"F32","shape":[2,-3],"x":"\ud83d\ude00\n é"},"b":[1,[22,{}]]})";
  CHECK(verdict(text) == "");
  for (size_t n = 0; n < text.size(); ++n)
    CHECK(verdict(std::string_view(text).substr(0, n)) != "");
  size_t accepted = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[i] = static_cast<char>(byte);
      accepted += verdict(changed).empty();
    }
  CHECK(accepted > text.size());            // another letter in a string
  CHECK(accepted < 256 * text.size() / 2);  // most bytes in most places are refused
}

TEST_CASE("json: writing escapes what must be, and reading gives it back") {
  std::string all;
  for (int c = 1; c < 128; ++c) all += static_cast<char>(c);
  all += "ß€😀";
  CHECK(string_of(JsonReader::escaped(all)) == all);
  CHECK(JsonReader::escaped("a\"b\\\n\x01") == R"("a\"b\\\n\u0001")");
  CHECK(JsonReader::escaped("gr\xfc\xc3\xbc\xe2\x82") == "\"gr\\ufffd\xc3\xbc\\ufffd\\ufffd\"");
  CHECK(JsonReader::quoted(std::string(200, 'x')).size() < 100);
  CHECK(JsonReader::quoted("a\xff\n") == R"("a<ff>\n")");
  CHECK(JsonReader::quoted("\x7f") == R"("<7f>")");
}
