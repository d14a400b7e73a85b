// Backward is a linear function of the cotangent, and does not depend on how that lies in memory.
#pragma once

#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/autograd/gradcheck/passes.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <string>
#include <string_view>

namespace slope {

// the words by which these problems are recognised
inline constexpr std::string_view not_linear_text = "not linear in the gradient that it is given";
inline constexpr std::string_view layout_text =
    "backward depends on the memory layout of its gradient";

struct LinearityOptions {
  Tolerance tolerance;
  bool rounds_to_bf16;  // whether a rule does
  Factors factors;      // by which u may be multiplied
};
// A message if one of the two does not hold. `of_u`: the leaves' gradients for u, of which `passes`
// gives the same in every pass.
std::string linearity_problem(const Passes& passes, const Tensor& u, const Tensors& of_u,
                              const NamedTensors& leaves, const LinearityOptions& options);

}  // namespace slope
