// Checks one call alone, at the values of the failing check: the function is evaluated up to this
// call; an element of one input is moved where that input was made, and all other inputs of the
// call are restored.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct AloneOptions {
  const GradcheckOptions& options;
  const NamedTensors& leaves;
  int64_t most_elements = 64;  // of each input, evenly spaced; fewer if an evaluation is slow
};
// Fills in inputs and failures. Skips inputs that cannot be moved alone: those that overlap
// themselves, leaves that share memory with another input, and tensors that are neither leaves nor
// outputs of an earlier call. Results that overlap (h and h^T) move together, so both may be called
// wrong.
void check_alone(const std::function<Tensors()>& f, const Evaluation& at, size_t call,
                 const AloneOptions& options, GradcheckCulprit& culprit);

}  // namespace slope
