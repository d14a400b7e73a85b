// Rprop (Riedmiller and Braun, 1993), as torch.optim.Rprop: the sign of a gradient moves each
// element by a step of its own, which grows while the sign stays. lr is the first of these steps.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct RpropOptions {
  double lr = 1e-2;
  std::array<double, 2> etas{0.5, 1.2};        // a step shrinks and grows by these
  std::array<double, 2> step_sizes{1e-6, 50};  // and stays within these
  bool maximize = false;
};

class Rprop : public Elementwise<RpropOptions> {
 public:
  explicit Rprop(const NamedTensors& parameters, RpropOptions options = {})
      : Rprop(Groups<RpropOptions>{{parameters, options}}) {}
  explicit Rprop(const Groups<RpropOptions>& groups);
};

}  // namespace slope::optim
