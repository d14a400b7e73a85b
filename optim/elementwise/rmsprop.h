// RMSprop (Hinton, lecture 6e, 2012; centered: Graves, 2013), as torch.optim.RMSprop: eps stands
// outside the root.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct RmspropOptions {
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};

class RMSprop : public Elementwise<RmspropOptions> {
 public:
  explicit RMSprop(const NamedTensors& parameters, RmspropOptions options = {})
      : RMSprop(Groups<RmspropOptions>{{parameters, options}}) {}
  explicit RMSprop(const Groups<RmspropOptions>& groups);
};

}  // namespace slope::optim
