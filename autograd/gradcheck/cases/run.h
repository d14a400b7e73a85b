// Runs the checks of a case. A usual case checks, in every layout of its inputs, differences of
// first and second order, the kernel against the formula (also where gradients of two uses are
// added), layouts of g, whether f64 keeps its digits, f32 against f64. A large case runs in two
// layouts, with differences along directions and the kernel against the formula. A case of points
// (ties, guards, padding) is compared with the gradients that it states.
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
// An input whose rank is too low for the layout is contiguous, and so is a `distinct` one that
// would be expanded.
LaidOut lay_out(const CaseInput& input, InputLayout layout, DType dtype, uint64_t seed);

struct CaseOutcome {
  enum class Check {
    first_order,       // of the kernel, where there is one, against differences
    first_by_formula,  // of the formula, where there is a kernel too
    second_order,
    kernel_formula,  // the kernel against the formula
    layouts_of_g,    // a gradient g that is not contiguous, against the same numbers contiguous
    digits,          // f64 values and gradients have the digits of f64 (digits.h)
    f32_f64          // gradients in f32 against those in f64
  };
  std::string what;  // "first order, transposed"
  GradcheckReport report;
  Check check;
  InputLayout layout;
  Case::Kind kind = Case::Kind::usual;
};
const char* name(CaseOutcome::Check check);

struct CaseOptions {
  uint64_t seed = 0;   // of the inputs and of gradcheck's cotangents
  int64_t sample = 0;  // elements of each input to check by differences; 0: all
};
// Runs all checks of the case; each outcome's report says whether the check passed. A check that
// throws counts as failed. In usual cases the first failure of each check by differences
// (first_order, first_by_formula, second_order) also gets a culprit.
std::vector<CaseOutcome> run_case(const Case& c, const CaseOptions& options = {});

}  // namespace slope
