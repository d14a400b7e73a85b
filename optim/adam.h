// Adam (Kingma and Ba, 2015), optionally with AMSGrad (Reddi et al., 2018), as torch.optim.Adam.
// weight_decay is added to the gradient; AdamW (adamw.h) subtracts it from the weight instead.
#pragma once

#include <slope/optim/optimizer.h>

namespace slope::optim {

struct AdamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8, weight_decay = 0;
  bool amsgrad = false;
};

class Adam : public Optimizer {
 public:
  explicit Adam(const NamedTensors& parameters, AdamOptions options = {})
      : Adam(std::vector<Group<AdamOptions>>{{parameters, options}}) {}
  explicit Adam(const std::vector<Group<AdamOptions>>& groups) : Adam(groups, false) {}

 protected:
  Adam(const std::vector<Group<AdamOptions>>& groups, bool decoupled);

 private:
  std::vector<const char*> state_names(size_t group) const override;
  void update(const Part<float>& part) const override { update_part(part); }
  void update(const Part<double>& part) const override { update_part(part); }
  template <class T>
  void update_part(const Part<T>& part) const;
  std::vector<AdamOptions> options_;
  bool decoupled_;  // weight decay
};

// The formula: step t of parameter p with gradient g. v_max is undefined without amsgrad. The tests
// compare step() with it.
struct AdamState {
  Tensor p, m, v, v_max;
};
AdamState adam_formula(const AdamState& s, const Tensor& g, const AdamOptions& o, int64_t t,
                       bool decoupled = false);

}  // namespace slope::optim
