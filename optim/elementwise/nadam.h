// Adam with Nesterov's momentum (Dozat, 2016), as torch.optim.NAdam.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct NadamOptions {
  double lr = 2e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0, momentum_decay = 4e-3;
  bool decoupled_weight_decay = false, maximize = false;
};

class NAdam : public Elementwise<NadamOptions> {
 public:
  explicit NAdam(const NamedTensors& parameters, NadamOptions options = {})
      : NAdam(Groups<NadamOptions>{{parameters, options}}) {}
  explicit NAdam(const Groups<NadamOptions>& groups);
};

}  // namespace slope::optim
