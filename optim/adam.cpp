#include <slope/autograd/ops.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/adam.h>
#include <slope/optim/adamw.h>

#include <cmath>

namespace slope::optim {

//   g = factor gradient                                        factor: set_grad_factor, else 1
//   p = (1 - lr weight_decay) p                                decoupled (AdamW)
//   d = g + weight_decay p                                     else
//   m = m + (1 - beta1) (d - m)      v = beta2 v + (1 - beta2) d^2     v_max = max(v_max, v)
//   p = p - lr / (1 - beta1^t)  m / (sqrt(v or v_max) / sqrt(1 - beta2^t) + eps)
AdamState adam_formula(const AdamState& s, const Tensor& g, const AdamOptions& o, int64_t t,
                       bool decoupled) {
  const auto [beta1, beta2] = o.betas;
  const double step = static_cast<double>(t);
  const Tensor p = decoupled ? s.p * (1 - o.lr * o.weight_decay) : s.p;
  const Tensor d = decoupled ? g : g + o.weight_decay * p;
  const Tensor m = s.m + (1 - beta1) * (d - s.m);
  const Tensor v = beta2 * s.v + (1 - beta2) * (d * d);
  const Tensor v_max = o.amsgrad ? maximum(s.v_max, v) : s.v_max;
  const Tensor denominator =
      sqrt(o.amsgrad ? v_max : v) * (1 / std::sqrt(1 - std::pow(beta2, step))) + o.eps;
  return {p - o.lr / (1 - std::pow(beta1, step)) * (m / denominator), m, v, v_max};
}

Adam::Adam(const std::vector<Group<AdamOptions>>& groups, bool decoupled) : decoupled_(decoupled) {
  for (const auto& [parameters, o] : groups) {
    for (double beta : o.betas)
      SLOPE_CHECK_AS(UsageError, beta >= 0 && beta < 1, "Adam: betas must be in [0, 1), got {}",
                     beta);
    SLOPE_CHECK_AS(UsageError, o.eps >= 0 && o.weight_decay >= 0,
                   "Adam: eps and weight_decay must not be negative, got {} and {}", o.eps,
                   o.weight_decay);
    options_.push_back(o);
  }
  add_groups(groups);
}

std::vector<const char*> Adam::state_names(size_t group) const {
  std::vector<const char*> names{"exp_avg", "exp_avg_sq"};
  if (options_[group].amsgrad) names.push_back("max_exp_avg_sq");
  return names;
}

template <class T>
void Adam::update_part(const Part<T>& part) const {
  const AdamOptions& o = options_[part.group];
  const double rate = lr(part.group), t = static_cast<double>(part.t);
  const AdamConstants<T> c{static_cast<T>(rate / (1 - std::pow(o.betas[0], t))),
                           static_cast<T>(decoupled_ ? 1 - rate * o.weight_decay : 1),
                           static_cast<T>(decoupled_ ? 0 : o.weight_decay),
                           static_cast<T>(1 - o.betas[0]),
                           static_cast<T>(o.betas[1]),
                           static_cast<T>(1 - o.betas[1]),
                           static_cast<T>(1 / std::sqrt(1 - std::pow(o.betas[1], t))),
                           static_cast<T>(o.eps),
                           static_cast<T>(grad_factor())};
  if (o.amsgrad) {
    kernels<OptimKernels<T>>().amsgrad(part.n, part.p, part.g, part.state[0], part.state[1],
                                       part.state[2], c);
  } else {
    kernels<OptimKernels<T>>().adam(part.n, part.p, part.g, part.state[0], part.state[1], c);
  }
}

AdamW::AdamW(const std::vector<Group<AdamWOptions>>& groups)
    : Adam(
          [&groups] {
            std::vector<Group<AdamOptions>> plain;
            for (const auto& [parameters, o] : groups)
              plain.push_back({parameters, {o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad}});
            return plain;
          }(),
          true) {}

}  // namespace slope::optim
