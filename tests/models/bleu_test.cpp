// BLEU against sacreBLEU 2.6.0 (tests/golden/bleu.py): its tokens, counts and scores on ordinary
// and on adversarial lines.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/metrics/bleu.h>

#include <fstream>
#include <nlohmann/json.hpp>

using namespace slope::data;
using nlohmann::json;

static const json& golden_bleu() {
  static const json bleu = json::parse(std::ifstream(SLOPE_GOLDEN "/bleu.json"));
  return bleu;
}

static void check_equal(const Bleu& bleu, const json& expected) {
  CHECK(bleu.matches == expected.at("matches").get<std::array<int64_t, 4>>());
  CHECK(bleu.totals == expected.at("totals").get<std::array<int64_t, 4>>());
  CHECK(bleu.hypothesis_length == expected.at("lengths")[0].get<int64_t>());
  CHECK(bleu.reference_length == expected.at("lengths")[1].get<int64_t>());
  CHECK(bleu.score == doctest::Approx(expected.at("score").get<double>()).epsilon(1e-12));
  CHECK(bleu.brevity_penalty == doctest::Approx(expected.at("bp").get<double>()).epsilon(1e-12));
  for (size_t n = 0; n < 4; ++n)
    CHECK(bleu.precisions[n] ==
          doctest::Approx(expected.at("precisions")[n].get<double>()).epsilon(1e-12));
}

TEST_CASE("bleu: 13a gives sacreBLEU's tokens") {
  for (const auto& row : golden_bleu().at("tokens"))
    CHECK(split_13a(row[0].get<std::string>()) == row[1].get<Tokens>());
}

TEST_CASE(
    "bleu: corpus scores are sacreBLEU's, lower-cased and not, and its unsmoothed scores of "
    "tokens") {
  CHECK(golden_bleu().at("corpora").size() > 20);
  for (const auto& row : golden_bleu().at("corpora")) {
    const auto hypotheses = row.at("hypotheses").get<std::vector<std::string>>(),
               references = row.at("references").get<std::vector<std::string>>();
    CAPTURE(hypotheses[0]);
    check_equal(SacreBleu{.lower_case = true}(hypotheses, references), row.at("lower"));
    check_equal(SacreBleu{.lower_case = false}(hypotheses, references), row.at("mixed"));
    const SacreBleu lower{.lower_case = true}, mixed{.lower_case = false};
    for (const SacreBleu& bleu : {lower, mixed})
      CHECK("BLEU|" + bleu.signature() + " = " + bleu(hypotheses, references).text() ==
            row.at("lines")[bleu.lower_case ? 0 : 1].get<std::string>());
    std::vector<Tokens> h, r;
    for (const auto& line : hypotheses) h.push_back(split_spaces(line));
    for (const auto& line : references) r.push_back(split_spaces(line));
    check_equal(token_bleu(h, r), row.at("tokens"));
  }
}

TEST_CASE("bleu: the signature is sacreBLEU's") {
  CHECK(SacreBleu{}.signature() == golden_bleu().at("signatures")[0].get<std::string>());
  CHECK(SacreBleu{.lower_case = false}.signature() ==
        golden_bleu().at("signatures")[1].get<std::string>());
}

TEST_CASE("bleu: by hand: 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none of 1") {
  const auto bleu = token_bleu({{"a", "b", "c", "x"}}, {{"a", "b", "c", "d"}});
  CHECK(bleu.matches == std::array<int64_t, 4>{3, 2, 1, 0});
  CHECK(bleu.score == 0);
  CHECK(token_bleu({{"a", "b", "c", "d"}}, {{"a", "b", "c", "d"}}).score == doctest::Approx(100));
  CHECK(token_bleu({}, {}).score == 0);
}

TEST_CASE("bleu: different numbers of lines are refused") {
  CHECK_THROWS_WITH_AS((void)token_bleu({{"a"}}, {}), "bleu: 1 hypotheses for 0 references",
                       slope::InputError);
}
