// Stochastic gradient descent with momentum (torch.optim.SGD; Sutskever et al., 2013, for
// Nesterov's).
#pragma once

#include <slope/optim/optimizer.h>

namespace slope::optim {

struct SgdOptions {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
};

class SGD : public Optimizer {
 public:
  explicit SGD(const NamedTensors& parameters, SgdOptions options = {})
      : SGD(std::vector<Group<SgdOptions>>{{parameters, options}}) {}
  explicit SGD(const std::vector<Group<SgdOptions>>& groups);

 private:
  std::vector<const char*> state_names(size_t group) const override;
  void update(const Part<float>& part) const override { update_part(part); }
  void update(const Part<double>& part) const override { update_part(part); }
  template <class T>
  void update_part(const Part<T>& part) const;
  std::vector<SgdOptions> options_;
};

// The formula: step t of parameter p with gradient g and momentum b. The tests compare step() with
// it.
struct SgdState {
  Tensor p, b;
};
SgdState sgd_formula(const SgdState& s, const Tensor& g, const SgdOptions& o, int64_t t);

}  // namespace slope::optim
