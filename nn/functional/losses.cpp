// Losses of numbers and of probabilities.
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/losses.h>

#include <cmath>
#include <numbers>

namespace slope::nn {

Tensor reduce_loss(const Tensor& losses, Reduction reduction) {
  return reduction == Reduction::none   ? losses
         : reduction == Reduction::mean ? mean(losses)
                                        : sum(losses);
}

Tensor l1_loss(const Tensor& x, const Tensor& t, Reduction reduction) {
  detail::check_broadcast("l1_loss", {x.shape(), t.shape()});
  return reduce_loss(abs(x - t), reduction);
}

namespace {

// d = x - t, cut at |d| = bound: each branch of a loss sees only its own d, because an infinite d
// or bound, times 0, would make derivatives nan.
struct Cut {
  Tensor is_far, near, far;
  Cut(const Tensor& d, double bound)
      : is_far(abs(d.detach()) >= bound), near(detail::one_or_nan(d) * masked_fill(d, is_far, 0)),
        far(abs(masked_fill(d, !is_far, 0))) {}
};

}  // namespace

// 0.5 d^2 where |d| < delta, else delta (|d| - 0.5 delta)
Tensor huber_loss(const Tensor& x, const Tensor& t, const HuberOptions& options) {
  const double delta = options.delta;
  SLOPE_CHECK(delta > 0, "huber_loss: delta must be above 0, got {}", delta);
  detail::check_broadcast("huber_loss", {x.shape(), t.shape()});
  const auto& [is_far, near, far] = Cut(x - t, delta);
  return reduce_loss(where(is_far, delta * (far - 0.5 * delta), 0.5 * near * near),
                     options.reduction);
}

// 0.5 d^2 / beta where |d| < beta, else |d| - 0.5 beta
Tensor smooth_l1_loss(const Tensor& x, const Tensor& t, const SmoothL1Options& options) {
  const double beta = options.beta;
  SLOPE_CHECK(beta >= 0, "smooth_l1_loss: beta must not be negative, got {}", beta);
  detail::check_broadcast("smooth_l1_loss", {x.shape(), t.shape()});
  const auto& [is_far, near, far] = Cut(x - t, beta);
  const Tensor share = near / masked_fill(full_like(near.detach(), beta), is_far, 1);  // of beta
  return reduce_loss(where(is_far, far - 0.5 * beta, 0.5 * near * share), options.reduction);
}

Tensor poisson_nll_loss(const Tensor& x, const Tensor& t, const PoissonNllOptions& options) {
  detail::check_broadcast("poisson_nll_loss", {x.shape(), t.shape()});
  Tensor loss = options.log_input ? exp(x) - t * x : x - t * log(x + options.eps);
  if (options.full) {
    const Tensor n = masked_fill(t, t <= 1, 1),  // log t! counts as 0 for t <= 1
        stirling = n * log(n) - n + 0.5 * log(2 * std::numbers::pi * n);
    loss = loss + masked_fill(stirling, t <= 1, 0);
  }
  return reduce_loss(loss, options.reduction);
}

Tensor gaussian_nll_loss(const Tensor& x, const Tensor& t, const Tensor& var,
                         const GaussianNllOptions& options) {
  detail::check_broadcast("gaussian_nll_loss", {x.shape(), t.shape()});
  Dims by_row = x.shape();
  if (x.rank() > 0) by_row.back() = 1;
  const Tensor v0 = var.rank() + 1 == x.rank() ? var.unsqueeze(-1) : var;
  SLOPE_CHECK_SHAPE(
      v0.shape() == x.shape() || v0.shape() == by_row,
      "gaussian_nll_loss: var must have x's shape {}, or lack its last dim or have 1 there; got {}",
      x.shape(), var.shape());
  SLOPE_CHECK(!any(v0.detach() < 0), "gaussian_nll_loss: var has negative elements");
  const Tensor v =
      v0 + relu(options.eps - v0.detach());  // max(v0, eps), derivative 1 below eps too
  const Tensor d = x - t;
  Tensor loss = 0.5 * (log(v) + d * d / v);
  if (options.full) loss = loss + 0.5 * std::log(2 * std::numbers::pi);
  return reduce_loss(loss, options.reduction);
}

namespace {

constexpr Definition bce_definition{
    "y = -t L(x) - (1 - t) L(1 - x), L = max(log, -100)",
    "dx = g (x - t) / max(x (1 - x), 1e-12), dt = g (L(1 - x) - L(x))", "0 <= x <= 1"};

// max(f(x), -100) of a logarithm f, a constant where it is -100: there f' may be infinite
Tensor limited(Tensor (*f)(const Tensor&), const Tensor& x) {
  const Tensor low = f(x.detach()) < -100;
  return masked_fill(f(masked_fill(x, low, 0.5)), low, -100);
}

Grads bce_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input(0), t = s.input(1);
  return {s.needs(0) ? g * ((x - t) / clamp(x * (1 - x), 1e-12, {})) : Tensor(),
          s.needs(1) ? g * (limited(log1p, -x) - limited(log, x)) : Tensor()};
}

// An operation, not a composite: at x = 0 and 1 its derivative is not that of y's formula.
constexpr Op bce{.name = "binary_cross_entropy",
                 .signature = "(*), (*) -> (*)",
                 .definition = bce_definition,
                 .saves = saves_inputs,
                 .formula = bce_formula};

void check_same_shape(const char* op, const Tensor& x, const Tensor& t) {
  SLOPE_CHECK_SHAPE(x.shape() == t.shape(),
                    "{}: both tensors must have the same shape, got {} and {}", op, x.shape(),
                    t.shape());
}

void check_probabilities(const Tensor& x, const Tensor& t) {
  const char* op = "binary_cross_entropy";
  check_same_shape(op, x, t);
  SLOPE_CHECK_DTYPE(is_floating(x.dtype()) && x.dtype() == t.dtype(),
                    "{}: the tensors must be both float32 or both float64, got {} and {}", op,
                    name(x.dtype()), name(t.dtype()));
  SLOPE_CHECK(all(logical_and(x >= 0, x <= 1)), "{}: x must lie within [0, 1]", op);
  SLOPE_CHECK(all(logical_and(t >= 0, t <= 1)), "{}: the targets must lie within [0, 1]", op);
}

void check_broadcasts(const char* op, const char* what, const Tensor& weight, const Tensor& x) {
  SLOPE_CHECK_SHAPE(!weight.defined() || broadcasts_to(weight.shape(), x.shape()),
                    "{}: {} {} does not broadcast to the shape {} of x", op, what, weight.shape(),
                    x.shape());
}

// losses: one for each element of x
Tensor weighted(const Tensor& losses, const BceOptions& options) {
  return reduce_loss(options.weight.defined() ? options.weight * losses : losses,
                     options.reduction);
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& x, const Tensor& t, const BceOptions& options) {
  const Tensor p = x.detach(), q = t.detach();
  check_probabilities(p, q);
  SLOPE_CHECK(!options.pos_weight.defined(),
              "binary_cross_entropy: has no pos_weight; binary_cross_entropy_with_logits has");
  check_broadcasts("binary_cross_entropy", "weight", options.weight, x);
  return weighted(bce.record(-(q * limited(log, p)) - (1 - q) * limited(log1p, -p), {x, t}),
                  options);
}

namespace {

constexpr Definition weighted_logit_definition{"y = w x, 0 where w = 0", "dw = g x, dx = g w"};
Grads weighted_logit_formula(const Saved& s, const Tensor& g) {
  return {s.needs(0) ? g * s.input(1) : Tensor(), s.needs(1) ? g * s.input(0) : Tensor()};
}
constexpr Op weighted_logit_op{.name = "weighted_logit",
                               .signature = "(*), (*) -> (*)",
                               .definition = weighted_logit_definition,
                               .saves = saves_inputs,
                               .formula = weighted_logit_formula};

// As weighted() of row_functions.h, for tensors: 0 times an infinite logit is the limit 0.
Tensor weighted_logit(const Tensor& w, const Tensor& x) {
  const Tensor v = w.detach();
  return weighted_logit_op.record(masked_fill(v * x.detach(), v == 0, 0), {w, x});
}

// W log(1 + e^-x) + (1 - t) x,  W = 1 + (w - 1) t,  w = pos_weight; for x < 0 in the form in which
// nothing cancels, W log(1 + e^x) - w t x
Tensor with_pos_weight(const Tensor& x, const Tensor& t, const Tensor& w) {
  const Tensor negative = x < 0;
  return (1 + (w - 1) * t) * softplus(where(negative, x, -x)) +
         weighted_logit(where(negative, -(w * t), 1 - t), x);
}

}  // namespace

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& t,
                                        const BceOptions& options) {
  const char* op = "binary_cross_entropy_with_logits";
  const Tensor w = options.pos_weight;
  check_same_shape(op, x, t);
  check_broadcasts(op, "weight", options.weight, x);
  check_broadcasts(op, "pos_weight", w, x);
  return weighted(w.defined() ? with_pos_weight(x, t, w) : bce_with_logits(x, t, Reduction::none),
                  options);
}

Tensor kl_div(const Tensor& log_q, const Tensor& p, const KlDivOptions& options) {
  const Dims shape = broadcast_shapes(log_q.shape(), p.shape(), "kl_div");
  const auto at_all = [&](const Tensor& x) { return x.shape() == shape ? x : x.expand(shape); };
  const Tensor losses = options.log_target
                            ? exp(p) * (p - log_q)
                            : slope::kl_div(at_all(log_q), at_all(p), Reduction::none);
  if (!options.batchmean) return reduce_loss(losses, options.reduction);
  SLOPE_CHECK_SHAPE(log_q.rank() > 0, "kl_div: batchmean needs a batch, got a scalar");
  return sum(losses) / static_cast<double>(log_q.size(0));
}

Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& t,
                                   const WeightedOptions& options) {
  const char* op = "multilabel_soft_margin_loss";
  SLOPE_CHECK_SHAPE(x.rank() > 0, "{}: needs classes, got a scalar", op);
  check_same_shape(op, x, t);
  check_broadcasts(op, "weight", options.weight, x);
  const Tensor losses = binary_cross_entropy_with_logits(
      x, t, {.reduction = Reduction::none, .weight = options.weight});
  return reduce_loss(mean(losses, {-1}), options.reduction);
}

}  // namespace slope::nn
