#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/adagrad.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const AdagradOptions& o) {
  check_not_negative("Adagrad", {{"eps", o.eps},
                                 {"weight_decay", o.weight_decay},
                                 {"lr_decay", o.lr_decay},
                                 {"initial_accumulator_value", o.initial_accumulator_value}});
}

std::vector<StateTensor> states(const AdagradOptions& o) {
  return {{"sum", o.initial_accumulator_value}};
}

//   d = g + weight_decay p
//   s = s + d^2
//   p = p - lr / (1 + (t - 1) lr_decay)  d / (sqrt(s) + eps)
template <class T>
void update(const Part<T>& x, const AdagradOptions& o) {
  const T decay = static_cast<T>(o.weight_decay), factor = static_cast<T>(x.factor),
          eps = static_cast<T>(o.eps),
          rate = static_cast<T>(x.lr / (1 + static_cast<double>(x.t - 1) * o.lr_decay));
  T* s = x.state[0];
  for (int64_t i = 0; i < x.n; ++i) {
    const T d = factor * x.g[i] + decayed(decay, x.p[i]);
    s[i] += d * d;
    x.p[i] -= rate * d / (std::sqrt(s[i]) + eps);
  }
}

}  // namespace

Adagrad::Adagrad(const Groups<AdagradOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
