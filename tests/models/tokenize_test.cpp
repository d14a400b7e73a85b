#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/data/tokenize.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace slope::data;
using nlohmann::json;

TEST_CASE("tokenize: words and str.split as Python gives them") {
  const json golden = json::parse(std::ifstream(SLOPE_GOLDEN "/text.json"));
  for (const auto& row : golden.at("words"))
    CHECK(split_words(row[0].get<std::string>()) == row[1].get<Tokens>());
  for (const auto& row : golden.at("spaces"))
    CHECK(split_spaces(row[0].get<std::string>()) == row[1].get<Tokens>());
}

TEST_CASE("tokenize: tokens joined are a line") {
  CHECK(join({"a", "b", "."}) == "a b .");
  CHECK(join({}) == "");
}

TEST_CASE("tokenize: ill-formed UTF-8 is refused") {
  CHECK_THROWS_AS(split_words("caf\xe9"), slope::InputError);
}

TEST_CASE("tokenize: a line of a million characters is one pass") {
  CHECK(split_words(std::string(1'000'000, 'a')).size() == 1);
  CHECK(split_words(std::string(1'000'000, ' ')).empty());
  CHECK(split_words(std::string(1'000'000, '!')).size() == 1'000'000);
}

TEST_CASE("tokenize: Multi30k's tokens are Python's, by their hash") {
  const char* data = std::getenv("SLOPE_DATA");
  if (!data) {
    MESSAGE("skipped: set SLOPE_DATA to a folder with multi30k/train.de.gz and train.en.gz");
    return;
  }
  // FNV-1a of the tokens, as tests/golden/text.py computes it
  const auto hash_tokens = [&](const char* file) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const auto& line : read_lines(std::string(data) + file))
      for (unsigned char byte : join(split_words(line), "\x1f") + "\n")
        hash = (hash ^ byte) * 0x100000001b3;
    return hash;
  };
  CHECK(hash_tokens("/multi30k/train.de.gz") == 0x21f348b5270c95df);
  CHECK(hash_tokens("/multi30k/train.en.gz") == 0x485c4aab46313f7b);
}
