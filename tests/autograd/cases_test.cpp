// The registry drives these: every differentiable operation, every case, every layout.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/cases/run.h>

#include <cstring>
#include <set>
#include <string>

using namespace slope;

TEST_CASE("cases: every registered operation has at least one") {
  std::set<std::string> covered;
  for (const Case& c : all_cases()) {
    covered.insert(c.op);
    CHECK_MESSAGE(find_op(c.op), "case for an unregistered operation: " << c.op);
  }
  for (const Op* op : registry())
    CHECK_MESSAGE(covered.contains(op->name), "no case for " << op->name);
}

TEST_CASE("cases: first and second order, kernel = formula, f32 = f64, over every layout") {
  for (const Case& c : all_cases()) {
    for (const CaseOutcome& outcome : run_case(c))
      CHECK_MESSAGE(outcome.report.ok, std::string(c.op) << " (" << c.label << "), " << outcome.what
                                                         << ": " << outcome.report.text());
  }
}

TEST_CASE("cases: what must be refused is, naming the operation") {
  for (const Refusal& refusal : all_refusals()) {
    CAPTURE(refusal.label);
    try {
      refusal.call();
      FAIL_CHECK(refusal.op << " (" << refusal.label << ") was not refused");
    } catch (const Error& e) {
      CHECK_MESSAGE(std::string(e.what()).find(refusal.op) != std::string::npos,
                    refusal.op << " is not named in: " << e.what());
    }
  }
}
