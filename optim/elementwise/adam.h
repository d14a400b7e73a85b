// Adam (Kingma and Ba, 2015), optionally with AMSGrad (Reddi et al., 2018), as torch.optim.Adam.
// weight_decay times the weight is added to the gradient; with decoupled_weight_decay, lr times
// that is subtracted from the weight instead, which is AdamW (adamw.h).
#pragma once

#include <slope/optim/elementwise/elementwise.h>

namespace slope::optim {

struct AdamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, decoupled_weight_decay = false, maximize = false;
};

class Adam : public Elementwise<AdamOptions> {
 public:
  explicit Adam(const NamedTensors& parameters, AdamOptions options = {})
      : Adam(Groups<AdamOptions>{{parameters, options}}) {}
  explicit Adam(const Groups<AdamOptions>& groups);
};

// The formula: step t of parameter p with gradient g. v_max is undefined without amsgrad. The tests
// compare step() with it.
struct AdamState {
  Tensor p, m, v, v_max;
};
AdamState adam_formula(const AdamState& s, const Tensor& g, const AdamOptions& o, int64_t t);

}  // namespace slope::optim
