// Stochastic gradient descent with momentum (torch.optim.SGD; Sutskever et al., 2013, for
// Nesterov's).
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct SgdOptions {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};

class SGD : public Elementwise<SgdOptions> {
 public:
  explicit SGD(const NamedTensors& parameters, SgdOptions options = {})
      : SGD(Groups<SgdOptions>{{parameters, options}}) {}
  explicit SGD(const Groups<SgdOptions>& groups);
};

// The formula: step t of parameter p with gradient g and momentum b. The tests compare step() with
// it.
struct SgdState {
  Tensor p, b;
};
SgdState sgd_formula(const SgdState& s, const Tensor& g, const SgdOptions& o, int64_t t);

}  // namespace slope::optim
