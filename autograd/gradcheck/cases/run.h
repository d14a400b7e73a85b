// Runs a check case: every layout of inputs and of g, first and second order, kernel against
// formula, one use against two, f64 with all its digits, f32 against f64. Large ones along
// directions instead of element by element, and not to second order; points against what is
// expected there.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>
#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// How an input lies in memory: which view of a leaf it is.
enum class InputLayout { contiguous, transposed, sliced, expanded, offset };
constexpr InputLayout all_layouts[] = {InputLayout::contiguous, InputLayout::transposed,
                                       InputLayout::sliced, InputLayout::expanded,
                                       InputLayout::offset};
const char* name(InputLayout layout);

// A leaf that requires a gradient, and the view of it that has the case's shape.
struct LaidOut {
  Tensor leaf;
  std::function<Tensor(const Tensor& leaf)> view;
};
LaidOut lay_out(const CaseInput& input, InputLayout layout, DType dtype, uint64_t seed);

struct CaseOutcome {
  enum class Check {
    first_order,
    first_by_formula,
    second_order,
    kernel_formula,
    layouts_of_g,
    digits,
    f32_f64
  };
  std::string what;  // "first order, transposed"
  GradcheckReport report;
  Check check;
  InputLayout layout;
  Case::Kind kind = Case::Kind::usual;
};
const char* name(CaseOutcome::Check check);
// Runs all checks of the case, with values and cotangents drawn by seed; each outcome's report says
// whether the check passed. A check that throws has failed. The first failure of each order also
// gets a culprit.
std::vector<CaseOutcome> run_case(const Case& c, uint64_t seed = 0);

}  // namespace slope
