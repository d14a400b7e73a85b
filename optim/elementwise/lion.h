// Lion: every element moves by lr times a sign (Chen et al., "Symbolic Discovery of Optimization
// Algorithms", 2023, Program 1). Its lr is typically 3 to 10 times smaller than AdamW's.
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct LionOptions {
  double lr = 1e-4;
  std::array<double, 2> betas = {0.9, 0.99};
  double weight_decay = 0;
  bool maximize = false;
};

class Lion : public Elementwise<LionOptions> {
 public:
  explicit Lion(const NamedTensors& parameters, LionOptions options = {})
      : Lion(Groups<LionOptions>{{parameters, options}}) {}
  explicit Lion(const Groups<LionOptions>& groups);
};

}  // namespace slope::optim
