#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/lion.h>
#include <slope/optim/option_checks.h>

namespace slope::optim {

namespace {

void check(const LionOptions& o) {
  check_betas("Lion", o.betas);
  check_not_negative("Lion", {{"weight_decay", o.weight_decay}});
}

std::vector<StateTensor> states(const LionOptions&) { return {{"exp_avg"}}; }

//   c = beta1 m + (1 - beta1) g
//   p = p - lr (sign(c) + weight_decay p)
//   m = beta2 m + (1 - beta2) g
template <class T>
void update(const Part<T>& x, const LionOptions& o) {
  const T lr = static_cast<T>(x.lr), decay = static_cast<T>(o.weight_decay),
          factor = static_cast<T>(x.factor), beta1 = static_cast<T>(o.betas[0]),
          fresh1 = static_cast<T>(1 - o.betas[0]), beta2 = static_cast<T>(o.betas[1]),
          fresh2 = static_cast<T>(1 - o.betas[1]);
  T* m = x.state[0];
  for (int64_t i = 0; i < x.n; ++i) {
    const T g = factor * x.g[i], c = beta1 * m[i] + fresh1 * g;
    const T sign = c > 0 ? T(1) : c < 0 ? T(-1) : c;  // nan stays
    x.p[i] -= lr * (sign + decayed(decay, x.p[i]));
    m[i] = beta2 * m[i] + fresh2 * g;
  }
}

}  // namespace

Lion::Lion(const Groups<LionOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
