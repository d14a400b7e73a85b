// Losses that are compositions of other operations.
#include <slope/autograd/ops/loss/targets.h>

#include <cmath>

namespace slope {

namespace {

Tensor reduce(const Tensor& losses, Reduction reduction) {
  return reduction == Reduction::none   ? losses
         : reduction == Reduction::mean ? mean(losses)
                                        : sum(losses);
}

void check_same_shape(const char* op, const Tensor& x, const Tensor& target) {
  SLOPE_CHECK_SHAPE(x.shape() == target.shape(),
                    "{}: both tensors must have the same shape, got {} and {}", op, x.shape(),
                    target.shape());
  SLOPE_CHECK_DTYPE(is_computed_in(x.dtype()) && x.dtype() == target.dtype(),
                    "{}: the tensors must be both float32 or both float64, got {} and {}", op,
                    name(x.dtype()), name(target.dtype()));
}

}  // namespace

//   loss = -(1 - e) l_t - (e / C) sum_i l_i, 0 where the target t is ignored; e: label smoothing,
//   C: classes
Tensor loss_of_log_probabilities(const Tensor& l, const Tensor& target, int64_t count,
                                 const CrossEntropyOptions& options) {
  const int64_t n = target.numel(), classes = l.size(-1);
  if (classes == 0)
    return options.reduction == Reduction::mean  ? sum(l) * NAN
           : options.reduction == Reduction::sum ? sum(l)
                                                 : sum(l, {-1});
  const Tensor ignored = Tensor::empty(target.shape(), boolean),
               picked = Tensor::empty(target.shape(), i64);
  {
    const int64_t* t = target.data<int64_t>();
    const auto skip = ignored.write<bool>();
    const auto pick = picked.write<int64_t>();
    for (int64_t i = 0; i < n; ++i) {
      skip[i] = t[i] == options.ignore_index;
      pick[i] = skip[i] ? 0 : t[i];
    }
  }
  const double e = options.label_smoothing;
  Tensor loss = -gather(l, -1, picked.unsqueeze(-1)).squeeze(-1);
  if (e != 0) loss = (1 - e) * loss - e / static_cast<double>(classes) * sum(l, {-1});
  loss = masked_fill(loss, ignored, 0);
  return options.reduction == Reduction::none  ? loss
         : options.reduction == Reduction::sum ? sum(loss)
         : count == 0 ? sum(loss) + NAN  // not sum / 0, whose derivative is not finite
                      : sum(loss) / static_cast<double>(count);
}

Tensor without_ignored(const Tensor& x, const Tensor& target, const CrossEntropyOptions& options) {
  const Tensor ignored = Tensor::empty(target.shape(), boolean);
  const int64_t* t = target.data<int64_t>();
  {
    const auto out = ignored.write<bool>();
    for (int64_t i = 0; i < target.numel(); ++i) out[i] = t[i] == options.ignore_index;
  }
  return masked_fill(x, ignored.unsqueeze(-1), 0);
}

Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                CrossEntropyOptions options) {
  SLOPE_CHECK(options.label_smoothing == 0,
              "nll_loss: has no label smoothing (got {}); use cross_entropy",
              options.label_smoothing);
  check_floating(log_probabilities.dtype(), "nll_loss");
  const auto [t, count] =
      check_targets("nll_loss", log_probabilities.shape(), target, options.ignore_index);
  return loss_of_log_probabilities(log_probabilities, t, count, options);
}

//   (x - t)^2
Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction) {
  check_same_shape("mse_loss", x, target);
  const Tensor d = x - target;
  return reduce(d * d, reduction);
}

Tensor bce_with_logits(const Tensor& x, const Tensor& target, Reduction reduction) {
  check_same_shape("bce_with_logits", x, target);
  return reduce(bce_of_elements(x, target), reduction);
}

namespace {

constexpr Definition x_log_x_definition{"y = x log x, 0 where x = 0",
                                        "dx = g (log x + 1), nan where x = 0"};
Grads x_log_x_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  return {g * (log(masked_fill(x, x == 0, NAN)) + 1)};
}
constexpr Op x_log_x_op{.name = "x_log_x",
                        .signature = "(*) -> (*)",
                        .definition = x_log_x_definition,
                        .saves = saves_input(),
                        .formula = x_log_x_formula};

// An operation of its own: the derivative of log x alone overflows where x is small.
Tensor x_log_x(const Tensor& x) {
  const Tensor value = x.detach();
  return x_log_x_op.record(masked_fill(value * log(value), value == 0, 0), {x});
}

}  // namespace

//   p (log p - log q), 0 log 0 = 0; its derivative with respect to p at 0 is nan, and so are terms
//   that overflow, as in PyTorch
Tensor kl_div(const Tensor& log_q, const Tensor& p, Reduction reduction) {
  check_same_shape("kl_div", log_q, p);
  return reduce(x_log_x(p) - p * log_q, reduction);
}

}  // namespace slope
