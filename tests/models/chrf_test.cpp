// chrF2 against sacreBLEU 2.6.0 (tests/golden/bleu.py).
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/data/metrics/chrf.h>

#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;
using slope::data::Chrf;
using Lines = std::vector<std::string>;

TEST_CASE("chrf: corpus scores and signatures are sacreBLEU's, lower-cased and not") {
  const json golden = json::parse(std::ifstream(SLOPE_GOLDEN "/bleu.json"));
  CHECK(golden.at("corpora").size() > 20);
  for (const auto& row : golden.at("corpora")) {
    const auto hypotheses = row.at("hypotheses").get<Lines>(),
               references = row.at("references").get<Lines>();
    CAPTURE(hypotheses[0]);
    const json& scores = row.at("chrf");
    CHECK(Chrf{.lower_case = true}(hypotheses, references) ==
          doctest::Approx(scores[0].get<double>()).epsilon(1e-12));
    CHECK(Chrf{.lower_case = false}(hypotheses, references) ==
          doctest::Approx(scores[1].get<double>()).epsilon(1e-12));
  }
  CHECK(Chrf{}.signature() == golden.at("chrf_signatures")[0].get<std::string>());
  CHECK(Chrf{.lower_case = false}.signature() ==
        golden.at("chrf_signatures")[1].get<std::string>());
}

TEST_CASE("chrf: by hand: 3 of 4 characters, 2 of 3 pairs, 1 of 2 triples, none of 1") {
  const double P = (3.0 / 4 + 2.0 / 3 + 1.0 / 2 + 0) / 4;  // recall is the same
  CHECK(Chrf{}({"a bcx"}, {"ab cd"}) == doctest::Approx(100 * P));
  CHECK(Chrf{}({}, {}) == 0);
  CHECK_THROWS_WITH_AS((void)Chrf{}({"a"}, {}), "chrf: 1 hypotheses for 0 references",
                       slope::InputError);
}
