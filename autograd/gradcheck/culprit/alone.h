// One call checked alone, on the values that it met: the function is evaluated up to this call,
// with an element of one of its inputs moved where it was made, and all its other inputs put back
// to what they were.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct AloneOptions {
  const GradcheckOptions& options;
  const NamedTensors& leaves;
  int64_t most_elements = 64;  // of each input, evenly spaced; fewer where an evaluation is long
};
// Fills in inputs and failures. Inputs that cannot be moved alone (they overlap themselves, or were
// made by no call) are left out.
void check_alone(const std::function<Tensors()>& f, const Evaluation& at, size_t call,
                 const AloneOptions& options, GradcheckCulprit& culprit);

}  // namespace slope
