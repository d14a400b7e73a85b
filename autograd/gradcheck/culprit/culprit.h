// Where a check has failed: which calls are to blame. Two more evaluations point to them
// (defects.h); each is then checked alone (alone.h).
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

// u: the cotangent of the output whose derivatives failed first, report.leaves[…].output
std::vector<GradcheckCulprit> find_culprits(const std::function<Tensors()>& f,
                                            const NamedTensors& leaves, const Tensor& u,
                                            const GradcheckReport& report,
                                            const GradcheckOptions& options);

}  // namespace slope
