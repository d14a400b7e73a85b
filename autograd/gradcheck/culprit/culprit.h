// After a failed check: which calls are to blame. Two more evaluations point to them (defects.h);
// then each is checked alone (alone.h).
#pragma once

#include <slope/autograd/gradcheck/culprit/defects.h>
#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct Failing {
  size_t output;
  Tensor u;                           // the output's cotangent
  std::vector<Direction> directions;  // of the leaves, along which the output's derivative is wrong
};
// The directions move elements that failed and no others, so that kinks elsewhere do not matter.
Failing failing_elements(const NamedTensors& leaves, const std::vector<Tensor>& cotangents,
                         const GradcheckReport& report);

std::vector<GradcheckCulprit> find_culprits(const std::function<Tensors()>& f,
                                            const NamedTensors& leaves, const Failing& failing,
                                            const GradcheckOptions& options);

}  // namespace slope
