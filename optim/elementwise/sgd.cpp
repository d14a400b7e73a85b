#include <slope/autograd/ops.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/optim/option_checks.h>

namespace slope::optim {

//   g = factor gradient          factor: set_grad_factor, else 1; negated to maximize
//   d = g + weight_decay p       b = d at the first step, then momentum b + (1 - dampening) d
//   p = p - lr d                 with momentum: p - lr b,  Nesterov's: p - lr (d + momentum b)
SgdState sgd_formula(const SgdState& s, const Tensor& g, const SgdOptions& o, int64_t t) {
  const Tensor d = g + o.weight_decay * s.p;
  if (o.momentum == 0) return {s.p - o.lr * d, s.b};
  const Tensor b = t == 1 ? d : o.momentum * s.b + (1 - o.dampening) * d;
  return {s.p - o.lr * (o.nesterov ? d + o.momentum * b : b), b};
}

namespace {

void check(const SgdOptions& o) {
  check_not_negative("SGD", {{"momentum", o.momentum}, {"weight_decay", o.weight_decay}});
  SLOPE_CHECK_AS(UsageError, !o.nesterov || (o.momentum > 0 && o.dampening == 0),
                 "SGD: Nesterov's momentum needs a momentum and no dampening");
}

std::vector<StateTensor> states(const SgdOptions& o) {
  if (o.momentum == 0) return {};
  return {{"momentum_buffer"}};
}

template <class T>
void update(const Part<T>& x, const SgdOptions& o) {
  const SgdConstants<T> c{static_cast<T>(x.lr),
                          static_cast<T>(o.weight_decay),
                          static_cast<T>(o.momentum),
                          static_cast<T>(x.t == 1 ? 1 : 1 - o.dampening),
                          o.nesterov,
                          static_cast<T>(x.factor)};
  if (o.momentum == 0) {
    kernels<OptimKernels<T>>().sgd(x.n, x.p, x.g, c);
  } else {
    kernels<OptimKernels<T>>().sgd_momentum(x.n, x.p, x.g, x.state[0], c);
  }
}

}  // namespace

SGD::SGD(const Groups<SgdOptions>& groups)
    : Elementwise(groups, {check, states, update<float>, update<double>}) {}

}  // namespace slope::optim
