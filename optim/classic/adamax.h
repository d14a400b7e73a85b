// Adamax (Kingma and Ba, 2015, 7.1), as torch.optim.Adamax: Adam with the infinity norm.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct AdamaxOptions {
  double lr = 2e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool maximize = false;
};

class Adamax : public Elementwise<AdamaxOptions> {
 public:
  explicit Adamax(const NamedTensors& parameters, AdamaxOptions options = {})
      : Adamax(Groups<AdamaxOptions>{{parameters, options}}) {}
  explicit Adamax(const Groups<AdamaxOptions>& groups);
};

}  // namespace slope::optim
