#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/rmsprop.h>
#include <slope/optim/option_checks.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const RmspropOptions& o) {
  check_not_negative("RMSprop", {{"alpha", o.alpha},
                                 {"eps", o.eps},
                                 {"weight_decay", o.weight_decay},
                                 {"momentum", o.momentum}});
}

std::vector<StateTensor> states(const RmspropOptions& o) {
  std::vector<StateTensor> all{{"square_avg"}};
  if (o.momentum > 0) all.push_back({"momentum_buffer"});
  if (o.centered) all.push_back({"grad_avg"});
  return all;
}

//   d = g + weight_decay p
//   v = alpha v + (1 - alpha) d^2
//   m = m + (1 - alpha) (d - m)                      centered, else 0
//   u = d / (sqrt(v - m^2) + eps)                    rounding may take v - m^2 below 0: then 0
//   b = momentum b + u       p = p - lr b            with momentum, else p - lr u
template <class T>
void update(const Part<T>& x, const RmspropOptions& o) {
  const T lr = static_cast<T>(x.lr), decay = static_cast<T>(o.weight_decay),
          factor = static_cast<T>(x.factor), alpha = static_cast<T>(o.alpha),
          fresh = static_cast<T>(1 - o.alpha), eps = static_cast<T>(o.eps),
          momentum = static_cast<T>(o.momentum);
  T *v = x.state[0], *b = o.momentum > 0 ? x.state[1] : nullptr,
    *m = o.centered ? x.state[o.momentum > 0 ? 2 : 1] : nullptr;
  for (int64_t i = 0; i < x.n; ++i) {
    const T d = factor * x.g[i] + decayed(decay, x.p[i]);
    v[i] = alpha * v[i] + fresh * d * d;
    if (m) m[i] += fresh * (d - m[i]);
    const T u = d / (std::sqrt(m ? std::max(v[i] - m[i] * m[i], T(0)) : v[i]) + eps);
    if (b) b[i] = momentum * b[i] + u;
    x.p[i] -= lr * (b ? b[i] : u);
  }
}

}  // namespace

RMSprop::RMSprop(const Groups<RmspropOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
