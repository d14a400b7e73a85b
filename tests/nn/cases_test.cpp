// The check cases of nn/transformer/heads.h and nn/functional/.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/nn/cases.h>
#include <slope/tests/file_text.h>
#include <slope/tests/sanitized.h>

#include <regex>
#include <set>

using namespace slope;

TEST_CASE("heads, functional: every function has cases, and they hold") {
  std::set<std::string> covered;
  for (const Case& c : nn::function_cases()) {
    covered.insert(c.name);
    for (const CaseOutcome& outcome : run_case(c, {.sample = test::sample}))
      CHECK_MESSAGE(outcome.report.ok, std::string(c.name)
                                           << " (" << c.label << "), " << outcome.what << ": "
                                           << outcome.report.text());
  }
  std::string text;
  for (const char* file :
       {"transformer/heads.h", "functional/activations.h", "functional/attention.h",
        "functional/bags.h", "functional/layers.h", "functional/losses.h",
        "functional/normalisation.h", "functional/pooling.h", "functional/transposed.h"})
    text += test::file_text(fmt::format("{}/nn/{}", SLOPE_SOURCE, file));
  const std::regex details(R"(namespace detail \{[^]*?\}  // namespace detail)");
  text = std::regex_replace(text, details, "");
  const std::regex declaration(R"(\n(?:\[\[nodiscard\]\] )?(?:Tensor|AttentionOutput) (\w+)\()");
  size_t functions = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
    ++functions;
    CHECK_MESSAGE(covered.contains((*at)[1]), "no case for " << (*at)[1]);
  }
  CHECK(functions >= 40);
}
