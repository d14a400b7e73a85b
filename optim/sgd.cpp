#include <slope/autograd/ops.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/sgd.h>

namespace slope::optim {

//   g = factor gradient                           factor: set_grad_factor, else 1
//   d = g + weight_decay p
//   b = d at the first step, then momentum b + (1 - dampening) d
//   p = p - lr d,  with momentum: p - lr b,  Nesterov's: p - lr (d + momentum b)
SgdState sgd_formula(const SgdState& s, const Tensor& g, const SgdOptions& o, int64_t t) {
  const Tensor d = g + o.weight_decay * s.p;
  if (o.momentum == 0) return {s.p - o.lr * d, s.b};
  const Tensor b = t == 1 ? d : o.momentum * s.b + (1 - o.dampening) * d;
  return {s.p - o.lr * (o.nesterov ? d + o.momentum * b : b), b};
}

SGD::SGD(const std::vector<Group<SgdOptions>>& groups) {
  for (const auto& [parameters, o] : groups) {
    SLOPE_CHECK_AS(UsageError, o.momentum >= 0 && o.weight_decay >= 0,
                   "SGD: momentum and weight_decay must not be negative, got {} and {}", o.momentum,
                   o.weight_decay);
    SLOPE_CHECK_AS(UsageError, !o.nesterov || (o.momentum > 0 && o.dampening == 0),
                   "SGD: Nesterov's momentum needs a momentum and no dampening");
    options_.push_back(o);
  }
  add_groups(groups);
}

std::vector<const char*> SGD::state_names(size_t group) const {
  return options_[group].momentum == 0 ? std::vector<const char*>{}
                                       : std::vector<const char*>{"momentum_buffer"};
}

template <class T>
void SGD::update_part(const Part<T>& part) const {
  const SgdOptions& o = options_[part.group];
  const SgdConstants<T> c{static_cast<T>(lr(part.group)),
                          static_cast<T>(o.weight_decay),
                          static_cast<T>(o.momentum),
                          static_cast<T>(part.t == 1 ? 1 : 1 - o.dampening),
                          o.nesterov,
                          static_cast<T>(grad_factor())};
  if (part.state[0]) {
    kernels<OptimKernels<T>>().sgd_momentum(part.n, part.p, part.g, part.state[0], c);
  } else {
    kernels<OptimKernels<T>>().sgd(part.n, part.p, part.g, c);
  }
}

}  // namespace slope::optim
