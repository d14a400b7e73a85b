// Running a check case: every layout, first and second order, kernel against
// formula, f32 against f64.
#pragma once

#include <slope/autograd/gradcheck/cases/cases.h>
#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// How an input of the wanted shape lies in memory: as a view of a leaf.
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
  enum class Check { first_order, first_by_formula, second_order, kernel_formula, f32_f64 };
  std::string what;  // "first order, transposed"
  GradcheckReport report;
  Check check;
  InputLayout layout;
};
const char* name(CaseOutcome::Check check);
// Everything that the case is held to; each outcome's report says whether it held. What throws is
// an outcome that did not hold. The culprit is looked for in the first failure of each order.
std::vector<CaseOutcome> run_case(const Case& c);

}  // namespace slope
