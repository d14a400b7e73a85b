#include <slope/autograd/ops.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/adam.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

//   g = factor gradient                  factor: set_grad_factor, else 1; negated to maximize
//   p = (1 - lr weight_decay) p          decoupled_weight_decay (AdamW)
//   d = g + weight_decay p               else
//   m = m + (1 - beta1) (d - m)      v = beta2 v + (1 - beta2) d^2     v_max = max(v_max, v)
//   p = p - lr / (1 - beta1^t)  m / (sqrt(v or v_max) / sqrt(1 - beta2^t) + eps)
AdamState adam_formula(const AdamState& s, const Tensor& g, const AdamOptions& o, int64_t t) {
  const bool decoupled = o.decoupled_weight_decay;
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

namespace {

void check(const AdamOptions& o) {
  check_betas("Adam", o.betas);
  check_not_negative("Adam", {{"eps", o.eps}, {"weight_decay", o.weight_decay}});
}

std::vector<StateTensor> states(const AdamOptions& o) {
  std::vector<StateTensor> all{{"exp_avg"}, {"exp_avg_sq"}};
  if (o.amsgrad) all.push_back({"max_exp_avg_sq"});
  return all;
}

template <class T>
void update(const Part<T>& x, const AdamOptions& o) {
  const double t = static_cast<double>(x.t);
  const bool decoupled = o.decoupled_weight_decay;
  const AdamConstants<T> c{static_cast<T>(x.lr / (1 - std::pow(o.betas[0], t))),
                           static_cast<T>(decoupled ? 1 - x.lr * o.weight_decay : 1),
                           static_cast<T>(decoupled ? 0 : o.weight_decay),
                           static_cast<T>(1 - o.betas[0]),
                           static_cast<T>(o.betas[1]),
                           static_cast<T>(1 - o.betas[1]),
                           static_cast<T>(1 / std::sqrt(1 - std::pow(o.betas[1], t))),
                           static_cast<T>(o.eps),
                           static_cast<T>(x.factor)};
  const auto& [m, v, v_max] = x.state;
  if (o.amsgrad) {
    kernels<OptimKernels<T>>().amsgrad(x.n, x.p, x.g, m, v, v_max, c);
  } else {
    kernels<OptimKernels<T>>().adam(x.n, x.p, x.g, m, v, c);
  }
}

}  // namespace

Adam::Adam(const Groups<AdamOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

AdamW::AdamW(const Groups<AdamWOptions>& groups)
    : Adam([&groups] {
        Groups<AdamOptions> adam;
        for (const auto& [parameters, o] : groups)
          adam.push_back({parameters,
                          {.lr = o.lr,
                           .betas = o.betas,
                           .eps = o.eps,
                           .weight_decay = o.weight_decay,
                           .amsgrad = o.amsgrad,
                           .decoupled_weight_decay = true,
                           .maximize = o.maximize}});
        return adam;
      }()) {}

}  // namespace slope::optim
