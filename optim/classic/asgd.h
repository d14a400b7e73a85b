// Averaged stochastic gradient descent (Polyak and Juditsky, 1992), as torch.optim.ASGD: the state
// `ax` is the average of the parameters from step t0 on.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct AsgdOptions {
  double lr = 1e-2, lambd = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0;
  bool maximize = false;
};

class ASGD : public Elementwise<AsgdOptions> {
 public:
  explicit ASGD(const NamedTensors& parameters, AsgdOptions options = {})
      : ASGD(Groups<AsgdOptions>{{parameters, options}}) {}
  explicit ASGD(const Groups<AsgdOptions>& groups);
};

}  // namespace slope::optim
