// Adafactor: like Adam, but with second moments factored into a row and a column, so that an n x m
// matrix has n + m of them (Shazeer and Stern, 2018), as torch.optim.Adafactor.
#pragma once

#include <slope/optim/whole/whole_tensor.h>

namespace slope::optim {

struct AdafactorOptions {
  double lr = 1e-2, beta2_decay = -0.8;
  std::optional<double> eps1 = {};  // none: the dtype's epsilon
  double eps2 = 1e-3, d = 1, weight_decay = 0;
  bool maximize = false;
};

class Adafactor : public WholeTensor<AdafactorOptions> {
 public:
  explicit Adafactor(const NamedTensors& parameters, AdafactorOptions options = {})
      : Adafactor(Groups<AdafactorOptions>{{parameters, options}}) {}
  explicit Adafactor(const Groups<AdafactorOptions>& groups);
};

}  // namespace slope::optim
