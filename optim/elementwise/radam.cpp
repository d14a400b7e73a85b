#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/radam.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const RadamOptions& o) {
  check_betas("RAdam", o.betas);
  check_not_negative("RAdam", {{"eps", o.eps}, {"weight_decay", o.weight_decay}});
}

std::vector<StateTensor> states(const RadamOptions&) { return {{"exp_avg"}, {"exp_avg_sq"}}; }

//   p = (1 - lr weight_decay) p          decoupled_weight_decay
//   d = g + weight_decay p               else
//   m = m + (1 - beta1) (d - m)      v = beta2 v + (1 - beta2) d^2      m^ = m / (1 - beta1^t)
//   R = 2 / (1 - beta2) - 1          r = R - 2 t beta2^t / (1 - beta2^t)
//   p = p - lr m^ sqrt((r - 4) (r - 2) R / ((R - 4) (R - 2) r)) sqrt(1 - beta2^t) / (sqrt(v) + eps)
//   p = p - lr m^                        while r <= 5
template <class T>
void update(const Part<T>& x, const RadamOptions& o) {
  const double t = static_cast<double>(x.t), beta2_t = std::pow(o.betas[1], t);
  const double R = 2 / (1 - o.betas[1]) - 1, r = R - 2 * t * beta2_t / (1 - beta2_t);
  const bool rectified = r > 5, decoupled = o.decoupled_weight_decay;
  const double rectification =
      rectified
          ? std::sqrt((r - 4) * (r - 2) * R / ((R - 4) * (R - 2) * r)) * std::sqrt(1 - beta2_t)
          : 1;
  const T keep = static_cast<T>(decoupled ? 1 - x.lr * o.weight_decay : 1),
          decay = static_cast<T>(decoupled ? 0 : o.weight_decay), factor = static_cast<T>(x.factor),
          fresh = static_cast<T>(1 - o.betas[0]), beta2 = static_cast<T>(o.betas[1]),
          fresh2 = static_cast<T>(1 - o.betas[1]), eps = static_cast<T>(o.eps),
          rate = static_cast<T>(x.lr / (1 - std::pow(o.betas[0], t)) * rectification);
  T *m = x.state[0], *v = x.state[1];
  for (int64_t i = 0; i < x.n; ++i) {
    const T p = keep * x.p[i], d = factor * x.g[i] + decayed(decay, p);
    m[i] += fresh * (d - m[i]);
    v[i] = beta2 * v[i] + fresh2 * d * d;
    x.p[i] = p - rate * m[i] / (rectified ? std::sqrt(v[i]) + eps : T(1));
  }
}

}  // namespace

RAdam::RAdam(const Groups<RadamOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
