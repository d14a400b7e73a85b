// CONTRIBUTING.md's three edits for an elementwise operation, applied to copies of the three files
// (recipe.py): the operation exists, is registered, has its definition, and passes its cases.
#include <slope/autograd/gradcheck/cases/run.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main() {
  using namespace slope;
  setenv("SLOPE_ISA", "portable", 1);  // the only kernels compiled with the new row
  const Op* op = find_op("softsign");
  if (!op || std::strcmp(op->definition.forward, "y = x / (1 + |x|)") != 0) return 1;
  int64_t outcomes = 0;
  for (const Case& c : elementwise_cases().cases) {
    if (std::strcmp(c.name, op->name) != 0) continue;
    for (const CaseOutcome& outcome : run_case(c)) {
      ++outcomes;
      if (outcome.report.ok) continue;
      std::printf("%s, %s: %s\n", c.label.c_str(), outcome.what.c_str(),
                  outcome.report.text().c_str());
      return 1;
    }
  }
  const Tensor y = softsign(tensor({-1., 3.}));
  return outcomes >= 100 && equal(y, tensor({-0.5, 0.75})) ? 0 : 1;
}
