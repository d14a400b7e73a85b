// The gradients by backward that are compared with differences: of each output with respect to each
// leaf. With them the reasons why they cannot be trusted (analytic.h, parts.h).
#pragma once

#include <slope/autograd/gradcheck/analytic.h>
#include <slope/autograd/gradcheck/numeric/forward.h>

namespace slope {

struct Gradients {
  std::vector<Tensors> of;  // [leaf][output]; undefined if the tape does not reach the leaf
  std::vector<std::string> problems;
  bool can_be_compared = true;  // otherwise the numbers would point to the wrong place
};

// Also calls the function with other inputs, then runs backward again: a rule that keeps values of
// the last forward pass, rather than saving them, gives other gradients.
Gradients all_gradients(const Forward& forward, const NamedTensors& leaves,
                        const AnalyticOptions& options);

}  // namespace slope
