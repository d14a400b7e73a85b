#include <slope/autograd/ops.h>
#include <slope/nn/functional/random.h>

#include <cmath>

namespace slope::nn {

namespace {

Dims channels_of(const char* who, const Tensor& x, size_t leading) {
  SLOPE_CHECK_SHAPE(x.shape().size() >= leading, "{}: needs a dim of channels, got shape {}", who,
                    x.shape());
  Dims shape = x.shape();
  for (size_t d = leading; d < shape.size(); ++d) shape[d] = 1;
  return shape;
}

//   a (k x + (1 - k) low) + b, k = 0 with probability p; a and b keep mean 0 and variance 1
Tensor alpha_dropout_of(const char* op, const Tensor& x, const Dims& drawn, double p, bool train) {
  check_floating(x.dtype(), op);
  const Tensor keep = dropout(ones(drawn, x.dtype()), p, train) * (1 - p);
  if (!train || p == 0) return x;
  if (p == 1) return x * 0;
  constexpr double low = -1.7580993408473766;  // selu's limit at -infinity: -scale * alpha
  const double a = 1 / std::sqrt((1 - p) * (1 + p * low * low));
  return (x * keep + (1 - keep) * low) * a - a * p * low;
}

}  // namespace

Tensor dropout1d(const Tensor& x, double p, bool train) {
  SLOPE_CHECK_SHAPE(x.rank() == 2 || x.rank() == 3, "dropout1d: needs (N, C, L) or (C, L), got {}",
                    x.shape());
  const Tensor factors =
      dropout(ones(channels_of("dropout1d", x, x.shape().size() - 1), x.dtype()), p, train);
  return train ? x * factors : x;
}

Tensor alpha_dropout(const Tensor& x, double p, bool train) {
  return alpha_dropout_of("alpha_dropout", x, x.shape(), p, train);
}

Tensor feature_alpha_dropout(const Tensor& x, double p, bool train) {
  const char* op = "feature_alpha_dropout";
  return alpha_dropout_of(op, x, channels_of(op, x, 2), p, train);
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelOptions& o) {
  SLOPE_CHECK(o.tau > 0, "gumbel_softmax: tau must be above 0, got {}", o.tau);
  check_floating(logits.dtype(), "gumbel_softmax");
  (void)wrap_dim(o.dim, logits.rank(), "gumbel_softmax");
  const Tensor uniform = rand(logits.shape(), logits.dtype()),
               noise = -log(-log(clamp(uniform, 1e-30, {}))),
               soft = softmax((logits + noise) / o.tau, o.dim);
  if (!o.hard) return soft;
  const Tensor largest = max(soft.detach(), o.dim).indices.unsqueeze(o.dim);  // of equals the first
  const Tensor one_hot = scatter_add(zeros(soft.shape(), soft.dtype()), o.dim, largest,
                                     ones(largest.shape(), soft.dtype()));
  return one_hot - soft.detach() + soft;
}

}  // namespace slope::nn
