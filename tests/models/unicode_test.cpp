// Properties of every code point that Unicode 14 assigns, against Python's (tests/golden/text.py).
#include <doctest/doctest.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/data/text/utf8.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

using namespace slope::data;
using nlohmann::json;

static const json& golden_unicode() {
  static const json text = json::parse(std::ifstream(SLOPE_GOLDEN "/text.json"));
  return text;
}

template <class F>
static void each_in_ranges(const char* key, F&& f) {
  for (const auto& range : golden_unicode().at(key))
    for (char32_t c = range[0]; c <= range[1].get<char32_t>(); ++c) f(c);
}

static std::set<char32_t> code_points(const char* key) {
  std::set<char32_t> all;
  each_in_ranges(key, [&](char32_t c) { all.insert(all.end(), c); });
  return all;
}

// Assigned code points for which test(c) differs from membership in the golden ranges.
template <class F>
static std::vector<unsigned> differing(const char* key, F&& test) {
  const auto expected = code_points(key);
  std::vector<unsigned> wrong;
  each_in_ranges("assigned", [&](char32_t c) {
    if (test(c) != expected.contains(c)) wrong.push_back(c);
  });
  return wrong;
}

TEST_CASE("unicode: \\w and \\s are Python's for every code point") {
  CHECK(code_points("assigned").size() > 280000);
  CHECK(differing("word", is_word) == std::vector<unsigned>{});
  CHECK(differing("space", is_space) == std::vector<unsigned>{});
}

TEST_CASE("unicode: lower is Python's str.lower for every code point") {
  std::map<char32_t, std::string> changed;
  for (const auto& row : golden_unicode().at("lower"))
    changed[row[0].get<char32_t>()] = row[1].get<std::string>();
  CHECK(changed.size() > 1300);
  std::vector<unsigned> wrong;
  each_in_ranges("assigned", [&](char32_t c) {
    std::string text;
    append_utf8(text, c);
    const auto found = changed.find(c);
    if (lower(text) != (found == changed.end() ? text : found->second)) wrong.push_back(c);
  });
  CHECK(wrong == std::vector<unsigned>{});
}

TEST_CASE("unicode: nfc composes, and orders marks by their classes, however many there are") {
  for (const auto& [text, composed] : std::vector<std::pair<std::string, std::string>>{
           {"e\u0302\u0323", "\u1EC7"},
           {"\u1E0B\u0323", "\u1E0D\u0307"},
           {"q\u0307\u0323", "q\u0323\u0307"},
           {"a\u0315\u0300\u05AEb", "\u00E0\u05AE\u0315b"},
           {"\u0301\u0316b", "\u0316\u0301b"},
           {"\u1100\u1161\u11A8 \u1F82", "\uAC01 \u1F82"},
           {"\u0344\u0958", "\u0308\u0301\u0915\u093C"}}) {
    CHECK(nfc(text) == composed);
    CHECK(nfc(composed) == composed);
  }
  constexpr size_t n = 1'000'000;
  const auto marks = [](size_t count, char32_t mark) { return std::u32string(count, mark); };
  const std::u32string text = U"a" + marks(n, U'\u0301') + marks(n, U'\u0316'),
                       composed = U"á" + marks(n, U'\u0316') + marks(n - 1, U'\u0301');
  CHECK((nfc(encode_utf8(text)) == encode_utf8(composed)));  // not printed if it differs
}

TEST_CASE("unicode: a sigma is final where Python says so, for every neighbour") {
  const auto is_final = [](std::u32string text) { return lower(text).back() == U'\u03C2'; };
  CHECK(differing("cased", [&](char32_t c) {
          return is_final({c, U'\u03A3'});
        }) == std::vector<unsigned>{});
  const auto ignorable = [&](char32_t c) {
    return is_final({U'a', c, U'\u03A3'}) && !is_final({c, U'\u03A3'});
  };
  CHECK(differing("ignorable", ignorable) == std::vector<unsigned>{});
  for (const auto& row : golden_unicode().at("sigma"))
    CHECK(lower(row[0].get<std::string>()) == row[1].get<std::string>());
}
