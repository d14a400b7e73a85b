// Adam whose step is rectified while the variance is estimated from few gradients (Liu et al.,
// 2020), as torch.optim.RAdam.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct RadamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool decoupled_weight_decay = false, maximize = false;
};

class RAdam : public Elementwise<RadamOptions> {
 public:
  explicit RAdam(const NamedTensors& parameters, RadamOptions options = {})
      : RAdam(Groups<RadamOptions>{{parameters, options}}) {}
  explicit RAdam(const Groups<RadamOptions>& groups);
};

}  // namespace slope::optim
