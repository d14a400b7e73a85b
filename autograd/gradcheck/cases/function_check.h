// All cases of one function run, and what their failures have in common: which checks, layouts and
// cases fail, and what that says of the mistake.
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

  bool ok() const;  // no case is a failure, too
  bool fails(CaseOutcome::Check check) const;
  int64_t derivatives() const;
  const Outcome* first_failure() const;  // of the lowest order; null where all is right
};
FunctionCheck check_function(const std::string& name, const std::vector<Case>& cases);

// "the kernel alone is wrong: …": what follows from which checks fail and which agree.
Guesses guess_from_circumstances(const FunctionCheck& check);

// What fails, what agrees, the likely mistake, and the report of the first failure, or of each.
std::string text_of(const FunctionCheck& check, bool verbose);

// "2 of 120 functions fail at first order: mul, sum_to; 34 at second order alone, …": those that
// are wrong before those that follow.
std::string summary_of(const std::vector<FunctionCheck>& checks);

}  // namespace slope
