#include <slope/core/loops/copy.h>
#include <slope/optim/option_checks.h>
#include <slope/optim/whole/muon.h>

#include <cmath>

namespace slope::optim {

namespace {

void check(const MuonOptions& o, const NamedTensors& parameters) {
  for (const auto& [name, p] : parameters)
    SLOPE_CHECK_AS(
        UsageError, p.rank() == 2,
        "Muon: {} has shape {}; it updates matrices only, give other parameters to AdamW", name,
        p.shape());
  check_not_negative("Muon",
                     {{"momentum", o.momentum}, {"weight_decay", o.weight_decay}, {"eps", o.eps}});
  SLOPE_CHECK_AS(UsageError, o.ns_steps >= 0 && o.ns_steps < 100,
                 "Muon: ns_steps must be from 0 to 99, got {}", o.ns_steps);
}

std::vector<StateTensor> states(const MuonOptions&, const Tensor&) { return {{"momentum_buffer"}}; }

// Roughly the nearest orthogonal matrix to U: five steps bring every singular value near 1.
//   X = U / |U|, with no more rows than columns
//   A = X X^T      X = a X + (b A + c A A) X      ns_steps times
Tensor orthogonal(const Tensor& U, const MuonOptions& o) {
  const auto [a, b, c] = o.ns_coefficients;
  const bool tall = U.size(0) > U.size(1);
  Tensor X = contiguous(tall ? transpose(U, 0, 1) : U);
  X = X / std::max(norm(X).item(), o.eps);
  for (int64_t k = 0; k < o.ns_steps; ++k) {
    const Tensor A = matmul(X, transpose(X, 0, 1));
    X = a * X + matmul(b * A + c * matmul(A, A), X);
  }
  return tall ? transpose(X, 0, 1) : X;
}

//   B = B + (1 - momentum) (g - B)
//   U = g + momentum (B - g)                     nesterov, else B
//   s = sqrt(max(1, n / m)), or 0.2 sqrt(max(n, m)) to match AdamW's step
//   p = (1 - lr weight_decay) p - lr s orthogonal(U)
void update(const Whole& x, const MuonOptions& o) {
  if (x.p.numel() == 0) return;
  const Tensor B = x.state[0] + (1 - o.momentum) * (x.g - x.state[0]);
  const Tensor U = o.nesterov ? x.g + o.momentum * (B - x.g) : B;
  const double n = static_cast<double>(x.p.size(0)), m = static_cast<double>(x.p.size(1));
  const double s = o.adjust_lr == MuonOptions::AdjustLr::original ? std::sqrt(std::max(1.0, n / m))
                                                                  : 0.2 * std::sqrt(std::max(n, m));
  const Tensor p = (1 - x.lr * o.weight_decay) * x.p - x.lr * s * orthogonal(U, o);
  copy_into(B, x.state[0]);
  copy_into(p, x.p);
}

}  // namespace

Muon::Muon(const Groups<MuonOptions>& groups) : WholeTensor(groups, {check, states, update}) {}

}  // namespace slope::optim
