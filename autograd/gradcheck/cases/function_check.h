// Runs all cases of one function and finds what the failures have in common: which checks, layouts
// and cases fail, and what that says about the mistake.
#pragma once

#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>

namespace slope {

struct FunctionCheck {
  struct Outcome {
    std::string label;  // the case's
    CaseOutcome outcome;
  };
  std::string name;
  size_t cases = 0;
  std::vector<Outcome> outcomes;

  bool ok() const;  // false if there is no case
  bool fails(CaseOutcome::Check check) const;
  bool fails_at_first_order() const;
  int64_t derivatives() const;
  const Outcome* first_failure() const;  // of the lowest order; null if nothing failed
};
FunctionCheck check_function(const std::string& name, const std::vector<Case>& cases,
                             uint64_t seed = 0, bool stop_on_failure = false);

// "the kernel, not the formula: …": guessed from which checks, layouts and cases fail and which
// agree.
Guesses guess_from_failing_checks(const FunctionCheck& check);

// These and the guesses from the numbers of the first failure, at most three, the likeliest first.
Guesses diagnose(const FunctionCheck& check);

// What fails, what agrees, the likely mistake, and the report of the first failure or of all.
std::string text_of(const FunctionCheck& check, bool verbose);

// "2 of 120 functions fail at first order: mul, sum_to; 34 of 120 functions fail only other checks,
// perhaps because of these: …": causes before their consequences.
std::string summary_of(const std::vector<FunctionCheck>& checks);

}  // namespace slope
