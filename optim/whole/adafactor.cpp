#include <slope/core/loops/copy.h>
#include <slope/optim/option_checks.h>
#include <slope/optim/whole/adafactor.h>

#include <cmath>
#include <limits>

namespace slope::optim {

namespace {

void check(const AdafactorOptions& o, const NamedTensors&) {
  check_not_negative(
      "Adafactor",
      {{"eps1", o.eps1.value_or(0)}, {"eps2", o.eps2}, {"weight_decay", o.weight_decay}});
  SLOPE_CHECK_AS(UsageError, o.beta2_decay <= 0 && o.d >= 1,
                 "Adafactor: beta2_decay must be at most 0 and d at least 1, got {} and {}",
                 o.beta2_decay, o.d);
}

// p (*, n, m): r (*, n, 1), c (*, 1, m); for a vector v has one value per element
std::vector<StateTensor> states(const AdafactorOptions&, const Tensor& p) {
  if (p.rank() < 2) return {{"variance"}};
  Dims rows = p.shape(), columns = p.shape();
  rows[rows.size() - 1] = 1;
  columns[columns.size() - 2] = 1;
  return {{"row_var", 0, rows}, {"col_var", 0, columns}};
}

double rms(const Tensor& x) { return norm(x).item() / std::sqrt(static_cast<double>(x.numel())); }

Tensor moved(const Tensor& x, const Tensor& to, double weight) { return x + weight * (to - x); }

//   b = t^beta2_decay      a = max(eps2, RMS(p)) min(lr, 1 / sqrt(t))
//   p = (1 - lr weight_decay) p
//   r = r + b (mean_j g^2 - r)      c = c + b (mean_i g^2 - c)      v = r c / max(mean_i r, eps1)
//   v = v + b (g^2 - v)                                             instead, if p is a vector
//   u = g / sqrt(max(v, eps1^2))
//   p = p - a u / max(1, RMS(u) / d)
void update(const Whole& x, const AdafactorOptions& o) {
  if (x.p.numel() == 0) return;
  const double t = static_cast<double>(x.t), b = std::pow(t, o.beta2_decay);
  const double a = std::max(o.eps2, rms(x.p)) * std::min(x.lr, 1 / std::sqrt(t));
  const double epsilon = x.p.dtype() == f32 ? std::numeric_limits<float>::epsilon()
                                            : std::numeric_limits<double>::epsilon();
  const double eps1 = o.eps1.value_or(epsilon);
  const Tensor p = (1 - x.lr * o.weight_decay) * x.p, g2 = x.g * x.g;
  Tensors state;
  Tensor v;
  if (x.p.rank() < 2) {
    v = moved(x.state[0], g2, b);
    state = {v};
  } else {
    const Tensor r = moved(x.state[0], mean(g2, {-1}, keepdim), b),
                 c = moved(x.state[1], mean(g2, {-2}, keepdim), b);
    v = r * c / clamp(mean(r, {-2}, keepdim), eps1, {});
    state = {r, c};
  }
  const Tensor u = x.g * rsqrt(clamp(v, eps1 * eps1, {}));
  const Tensor updated = p - a / std::max(1.0, rms(u) / o.d) * u;
  for (size_t k = 0; k < state.size(); ++k) copy_into(state[k], x.state[k]);
  copy_into(updated, x.p);
}

}  // namespace

Adafactor::Adafactor(const Groups<AdafactorOptions>& groups)
    : WholeTensor(groups, {check, states, update}) {}

}  // namespace slope::optim
