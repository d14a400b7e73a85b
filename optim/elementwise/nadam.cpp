#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/nadam.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const NadamOptions& o) {
  check_betas("NAdam", o.betas);
  check_not_negative(
      "NAdam",
      {{"eps", o.eps}, {"weight_decay", o.weight_decay}, {"momentum_decay", o.momentum_decay}});
}

std::vector<StateTensor> states(const NadamOptions&) { return {{"exp_avg"}, {"exp_avg_sq"}}; }

double mu(const NadamOptions& o, double t) {
  return o.betas[0] * (1 - 0.5 * std::pow(0.96, t * o.momentum_decay));
}

// The product mu_1 * ... * mu_t; `before` is that of mu_1 to mu_{t-1}.
double mu_product(const NadamOptions& o, double before, int64_t t) {
  return before * mu(o, static_cast<double>(t));
}

//   p = (1 - lr weight_decay) p          decoupled_weight_decay
//   d = g + weight_decay p               else
//   m = m + (1 - beta1) (d - m)      v = beta2 v + (1 - beta2) d^2
//   mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)
//   p = p - lr ((1 - mu_t) d / (1 - mu_1 * ... * mu_t)
//               + mu_{t+1} m / (1 - mu_1 * ... * mu_{t+1})) / (sqrt(v / (1 - beta2^t)) + eps)
template <class T>
void update(const Part<T>& x, const NadamOptions& o) {
  const double t = static_cast<double>(x.t), next = mu(o, t + 1);
  const bool decoupled = o.decoupled_weight_decay;
  const T keep = static_cast<T>(decoupled ? 1 - x.lr * o.weight_decay : 1),
          decay = static_cast<T>(decoupled ? 0 : o.weight_decay), factor = static_cast<T>(x.factor),
          fresh = static_cast<T>(1 - o.betas[0]), beta2 = static_cast<T>(o.betas[1]),
          fresh2 = static_cast<T>(1 - o.betas[1]),
          correction = static_cast<T>(1 - std::pow(o.betas[1], t)), eps = static_cast<T>(o.eps),
          of_gradient = static_cast<T>(x.lr * (1 - mu(o, t)) / (1 - x.carry)),
          of_mean = static_cast<T>(x.lr * next / (1 - x.carry * next));
  T *m = x.state[0], *v = x.state[1];
  for (int64_t i = 0; i < x.n; ++i) {
    const T p = keep * x.p[i], d = factor * x.g[i] + decayed(decay, p);
    m[i] += fresh * (d - m[i]);
    v[i] = beta2 * v[i] + fresh2 * d * d;
    x.p[i] = p - (of_gradient * d + of_mean * m[i]) / (std::sqrt(v[i] / correction) + eps);
  }
}

}  // namespace

NAdam::NAdam(const Groups<NadamOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>, mu_product}) {}

}  // namespace slope::optim
