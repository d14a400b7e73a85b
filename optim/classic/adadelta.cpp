#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/classic/adadelta.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const AdadeltaOptions& o) {
  check_not_negative("Adadelta", {{"eps", o.eps}, {"weight_decay", o.weight_decay}});
  SLOPE_CHECK_AS(UsageError, o.rho >= 0 && o.rho <= 1, "Adadelta: rho must be in [0, 1], got {}",
                 o.rho);
}

std::vector<StateTensor> states(const AdadeltaOptions&) { return {{"square_avg"}, {"acc_delta"}}; }

//   d = g + weight_decay p
//   s = rho s + (1 - rho) d^2
//   u = sqrt(a + eps) / sqrt(s + eps) * d
//   a = rho a + (1 - rho) u^2
//   p = p - lr u
template <class T>
void update(const Part<T>& x, const AdadeltaOptions& o) {
  const T decay = static_cast<T>(o.weight_decay), factor = static_cast<T>(x.factor),
          rho = static_cast<T>(o.rho), rest = static_cast<T>(1 - o.rho),
          eps = static_cast<T>(o.eps), lr = static_cast<T>(x.lr);
  T *s = x.state[0], *a = x.state[1];
  for (int64_t i = 0; i < x.n; ++i) {
    const T d = factor * x.g[i] + decayed(decay, x.p[i]);
    s[i] = rho * s[i] + rest * d * d;
    const T u = std::sqrt(a[i] + eps) / std::sqrt(s[i] + eps) * d;
    a[i] = rho * a[i] + rest * u * u;
    x.p[i] -= lr * u;
  }
}

}  // namespace

Adadelta::Adadelta(const Groups<AdadeltaOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
