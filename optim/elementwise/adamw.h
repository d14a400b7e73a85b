// AdamW: Adam with the weight decay applied to the weight itself (Loshchilov and Hutter, 2019), as
// torch.optim.AdamW.
#pragma once

#include <slope/optim/elementwise/adam.h>

namespace slope::optim {

struct AdamWOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0.01;
  bool amsgrad = false, maximize = false;
};

class AdamW : public Adam {
 public:
  explicit AdamW(const NamedTensors& parameters, AdamWOptions options = {})
      : AdamW(Groups<AdamWOptions>{{parameters, options}}) {}
  explicit AdamW(const Groups<AdamWOptions>& groups);
};

}  // namespace slope::optim
