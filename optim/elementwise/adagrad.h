// Adagrad (Duchi et al., 2011), as torch.optim.Adagrad.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct AdagradOptions {
  double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
  bool maximize = false;
};

class Adagrad : public Elementwise<AdagradOptions> {
 public:
  explicit Adagrad(const NamedTensors& parameters, AdagradOptions options = {})
      : Adagrad(Groups<AdagradOptions>{{parameters, options}}) {}
  explicit Adagrad(const Groups<AdagradOptions>& groups);
};

}  // namespace slope::optim
