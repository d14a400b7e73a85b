#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/classic/asgd.h>
#include <slope/optim/option_checks.h>

#include <algorithm>
#include <cmath>

namespace slope::optim {

namespace {

void check(const AsgdOptions& o) { check_not_negative("ASGD", {{"weight_decay", o.weight_decay}}); }

std::vector<StateTensor> states(const AsgdOptions&) { return {{"ax"}}; }

//   eta = lr / (1 + lambd lr (t - 1))^alpha
//   p   = (1 - lambd eta) p - eta (g + weight_decay p)
//   ax  = ax + (p - ax) / max(1, t - 1 - t0)
template <class T>
void update(const Part<T>& x, const AsgdOptions& o) {
  const double before = static_cast<double>(x.t - 1),
               eta = x.lr / std::pow(1 + o.lambd * x.lr * before, o.alpha);
  const T decay = static_cast<T>(o.weight_decay), factor = static_cast<T>(x.factor),
          shrink = static_cast<T>(1 - o.lambd * eta), rate = static_cast<T>(eta),
          mu = static_cast<T>(1 / std::max(1.0, before - o.t0));
  T* ax = x.state[0];
  for (int64_t i = 0; i < x.n; ++i) {
    const T d = factor * x.g[i] + decayed(decay, x.p[i]);
    x.p[i] = x.p[i] * shrink - rate * d;
    ax[i] = mu == 1 ? x.p[i] : ax[i] + (x.p[i] - ax[i]) * mu;
  }
}

}  // namespace

ASGD::ASGD(const Groups<AsgdOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
