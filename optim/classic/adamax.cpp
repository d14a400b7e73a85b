#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/classic/adamax.h>
#include <slope/optim/option_checks.h>

#include <algorithm>
#include <cmath>

namespace slope::optim {

namespace {

void check(const AdamaxOptions& o) {
  check_betas("Adamax", o.betas);
  check_not_negative("Adamax", {{"eps", o.eps}, {"weight_decay", o.weight_decay}});
}

std::vector<StateTensor> states(const AdamaxOptions&) { return {{"exp_avg"}, {"exp_inf"}}; }

//   d = g + weight_decay p
//   m = m + (1 - beta1) (d - m)
//   u = max(beta2 u, |d| + eps)
//   p = p - lr / (1 - beta1^t) * m / u
template <class T>
void update(const Part<T>& x, const AdamaxOptions& o) {
  const T decay = static_cast<T>(o.weight_decay), factor = static_cast<T>(x.factor),
          rest = static_cast<T>(1 - o.betas[0]), beta2 = static_cast<T>(o.betas[1]),
          eps = static_cast<T>(o.eps),
          rate = static_cast<T>(x.lr / (1 - std::pow(o.betas[0], static_cast<double>(x.t))));
  T *m = x.state[0], *u = x.state[1];
  for (int64_t i = 0; i < x.n; ++i) {
    const T d = factor * x.g[i] + decayed(decay, x.p[i]);
    m[i] += rest * (d - m[i]);
    u[i] = std::max(beta2 * u[i], std::abs(d) + eps);
    x.p[i] -= rate * m[i] / u[i];
  }
}

}  // namespace

Adamax::Adamax(const Groups<AdamaxOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
