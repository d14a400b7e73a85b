// Driven by the registry: every differentiable operation, every case, every layout.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/cases/function_check.h>
#include <slope/tests/file_text.h>
#include <slope/tests/sanitized.h>

#include <cmath>
#include <cstring>
#include <regex>
#include <set>
#include <string>

using namespace slope;

namespace {

// The functions that autograd/ops.h declares, without those that have no derivative.
std::set<std::string> differentiable_functions() {
  const std::string text = test::file_text(SLOPE_SOURCE "/autograd/ops.h");
  const std::regex declaration(
      R"(\[\[nodiscard\]\] (?:Tensors?|ValuesAndIndices|LossAndCount|AttentionOutput) (\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
    if (const std::string name = (*at)[1]; !name.starts_with("operator")) names.insert(name);
  for (const char* without : {"logical_and", "logical_or", "logical_xor", "isfinite", "isinf",
                              "isnan", "argmax", "argmin"})
    CHECK(names.erase(without) == 1);
  return names;
}

}  // namespace

TEST_CASE("cases: every operation and every differentiable function of ops.h has at least one") {
  std::set<std::string> covered;
  for (const Case& c : all_cases()) covered.insert(c.name);
  const std::set<std::string> functions = differentiable_functions();
  CHECK(functions.size() > 90);
  for (const std::string& name : functions)
    CHECK_MESSAGE(covered.contains(name), "no case for " << name);
  for (const Op* op : registry())
    CHECK_MESSAGE(covered.contains(op->name), "no case for " << op->name);
  for (const std::string& name : covered)
    CHECK_MESSAGE((functions.contains(name) || find_op(name)), "a case for no function: " << name);
}

TEST_CASE("cases: what throws is an outcome that did not hold") {
  const Case c{"exp", "throws", {{{2}}}, [](const Tensors& x) -> Tensors {
                 return {exp(x[0]) + ones({3})};
               }};
  const std::vector<CaseOutcome> outcomes = run_case(c);
  CHECK(outcomes.size() == 35);
  for (const CaseOutcome& outcome : outcomes) {
    CHECK_FALSE(outcome.report.ok);
    CHECK(outcome.report.text().find("add") != std::string::npos);
  }
}

TEST_CASE("cases: points without their values or expected gradients are a failure that says so") {
  Case c{"exp", "no values", {{{2}}}, [](const Tensors& x) { return Tensors{exp(x[0])}; }};
  c.kind = Case::Kind::points;
  const std::string needs = "points need each input's values and the gradient expected there";
  for (int given = 0; given < 2; ++given) {
    const std::vector<CaseOutcome> refused = run_case(c);
    CHECK(refused.size() == 4);
    for (const CaseOutcome& outcome : refused) {
      REQUIRE(outcome.report.problems.size() == 1);
      CHECK(outcome.report.problems[0] == "exp (no values): " + needs);
    }
    c.values = {{0, 1}};
  }
  c.expected = {{1, std::exp(1)}};
  const std::vector<CaseOutcome> outcomes = run_case(c);
  CHECK(outcomes.size() == 4);
  for (const CaseOutcome& outcome : outcomes) CHECK(outcome.report.ok);
}

TEST_CASE("cases: a report's program names a function only if it is among the library's cases") {
  const auto function_in_report = [](const char* name, const std::vector<Case>& cases) {
    return check_function(name, cases).outcomes.at(0).outcome.report.function;
  };
  const auto f = [](const Tensors& x) { return Tensors{exp(x[0])}; };
  register_cases({{"function of a test", "own", {{{2}}}, f}});
  CHECK(function_in_report("function of a test", cases_of("function of a test")) == "f");
  CHECK(function_in_report("exp", {{"exp", "own", {{{2}}}, f}}) == "f");
  CHECK(function_in_report("exp", cases_of("exp")) == "cases_of(\"exp\")[0].f");
}

TEST_CASE("cases: a function that fails leaves the caller's random numbers as they were") {
  manual_seed(7);
  const Generator before = generator();
  for (const char* name : {"dropout", "scaled_dot_product_attention"})
    for (const Case& c : cases_of(name)) {
      CAPTURE(c.label);
      Tensors integers;
      for (const CaseInput& input : c.inputs) integers.push_back(zeros(input.shape, i64));
      CHECK_THROWS_AS(c.f(integers), Error);
      CHECK((generator() == before));
    }
}

TEST_CASE("cases: first and second order, kernel = formula, f32 = f64, over every layout") {
  for (const Case& c : all_cases()) {
    // under sanitizers other tests have sizes beyond a chunk, and these would take minutes
    if (test::sanitized && c.kind == Case::Kind::large) continue;
    for (const CaseOutcome& outcome : run_case(c, {.sample = test::sample}))
      CHECK_MESSAGE(outcome.report.ok, std::string(c.name)
                                           << " (" << c.label << "), " << outcome.what << ": "
                                           << outcome.report.text());
  }
}

TEST_CASE("cases: what must be refused is, naming the operation") {
  for (const Refusal& refusal : all_refusals()) {
    CAPTURE(refusal.label);
    try {
      refusal.call();
      FAIL_CHECK(refusal.name << " (" << refusal.label << ") was not refused");
    } catch (const Error& e) {
      CHECK_MESSAGE(std::string(e.what()).find(refusal.name) != std::string::npos,
                    refusal.name << " is not named in: " << e.what());
    }
  }
}
