// Adadelta (Zeiler, 2012), as torch.optim.Adadelta: steps in the units of the parameters.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct AdadeltaOptions {
  double lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0;
  bool maximize = false;
};

class Adadelta : public Elementwise<AdadeltaOptions> {
 public:
  explicit Adadelta(const NamedTensors& parameters, AdadeltaOptions options = {})
      : Adadelta(Groups<AdadeltaOptions>{{parameters, options}}) {}
  explicit Adadelta(const Groups<AdadeltaOptions>& groups);
};

}  // namespace slope::optim
