// Cross entropy and negative log-likelihood with what those of autograd/ops.h lack: class weights,
// targets that are probabilities, and inputs (N, C, *) with dims after the classes.
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/losses.h>

#include <cmath>

namespace slope::nn {

namespace {

void check_weight(const char* op, const Tensor& scores, const Tensor& weight, int64_t classes) {
  if (!weight.defined()) return;
  SLOPE_CHECK_SHAPE(weight.shape() == Dims{classes},
                    "{}: weight must have a number for each of {} classes, got {}", op, classes,
                    weight.shape());
  SLOPE_CHECK_DTYPE(weight.dtype() == scores.dtype(),
                    "{}: dtypes differ: weight {}, scores {}; convert with to()", op,
                    name(weight.dtype()), name(scores.dtype()));
}

//   loss = -(1 - e) w_t l_t - e / C sum_i w_i l_i, e = label_smoothing; 0 where t is ignore_index.
// l: log probabilities (n, C), t: targets (n), w: weights of the classes (C).
Tensor weighted_loss(const char* op, const Tensor& l, const Tensor& t, const Tensor& w,
                     const CrossEntropyOptions& options) {
  const int64_t C = l.size(1);
  detail::check_classes(op, t, 0, C, options.ignore_index);
  const Tensor ignored = t == options.ignore_index, at = masked_fill(t, ignored, 0),
               w_t = masked_fill(index_select(w, 0, at), ignored, 0);
  const double e = options.label_smoothing;
  Tensor loss = -(w_t * gather(l, 1, at.unsqueeze(1)).squeeze(1));
  if (e != 0) loss = (1 - e) * loss - e / static_cast<double>(C) * sum(w * l, {1});
  loss = masked_fill(loss, ignored, 0);
  if (options.reduction != Reduction::mean) return reduce_loss(loss, options.reduction);
  return all(ignored) ? sum(loss) + NAN  // not 0 / 0, whose derivative is not finite
                      : sum(loss) / sum(w_t);
}

// f(scores (n, C), targets (n)): each position is a row.
template <class F>
Tensor by_row(const char* op, const Tensor& scores, const Tensor& target, Reduction reduction,
              const F& f) {
  Dims shape = scores.shape();
  if (shape.size() > 0) shape.erase(shape.size() == 1 ? 0 : 1);
  SLOPE_CHECK_SHAPE(
      scores.rank() > 0 && target.shape() == shape,
      "{}: scores must be (N, C, *) with targets (N, *), or (C) with one target; got {} "
      "and {}",
      op, scores.shape(), target.shape());
  const int64_t n = numel(shape), C = scores.size(scores.rank() == 1 ? 0 : 1);
  const Tensor rows = scores.rank() > 2 ? scores.movedim(1, -1) : scores,
               losses = f(rows.reshape({n, C}), target.reshape({n}));
  return reduction == Reduction::none ? losses.reshape(shape) : losses;
}

//   loss = -sum_i w_i q_i l_i, q = (1 - e) p + e / C, l = log_softmax(x), e = label_smoothing
Tensor of_probabilities(const char* op, const Tensor& x, const Tensor& p, const Tensor& w,
                        const CrossEntropyOptions& options) {
  const double e = options.label_smoothing;
  SLOPE_CHECK_SHAPE(x.rank() > 0 && p.shape() == x.shape(),
                    "{}: floating-point targets are probabilities and must have the logits' shape "
                    "{}, got {}",
                    op, x.shape(), p.shape());
  SLOPE_CHECK_DTYPE(p.dtype() == x.dtype(),
                    "{}: dtypes differ: logits {}, targets {}; convert with to()", op,
                    name(x.dtype()), name(p.dtype()));
  const int64_t dim = x.rank() == 1 ? 0 : 1, C = x.size(dim);
  check_weight(op, x, w, C);
  Tensor q = e == 0 ? p : (1 - e) * p + e / static_cast<double>(C);
  if (w.defined()) {
    Dims classes(static_cast<size_t>(x.rank()), 1);
    classes[static_cast<size_t>(dim)] = C;
    q = q * w.reshape(classes);
  }
  return reduce_loss(-sum(q * log_softmax(x, dim), {dim}), options.reduction);
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                     const CrossEntropyOptions& options) {
  const char* op = "cross_entropy";
  const double e = options.label_smoothing;
  SLOPE_CHECK(e >= 0 && e <= 1, "{}: label_smoothing must be within [0, 1], got {}", op, e);
  const Tensor w = weight.defined() ? weight.detach() : weight;
  if (is_floating(target.dtype())) return of_probabilities(op, logits, target, w, options);
  return by_row(op, logits, target, options.reduction, [&](const Tensor& x, const Tensor& t) {
    if (!w.defined()) return slope::cross_entropy(x, t, options);
    check_weight(op, x, w, x.size(1));
    const Tensor ignored = t == options.ignore_index;
    return weighted_loss(op, log_softmax(masked_fill(x, ignored.unsqueeze(1), 0), 1), t, w,
                         options);
  });
}

Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target, const Tensor& weight,
                const CrossEntropyOptions& options) {
  const char* op = "nll_loss";
  const Tensor w = weight.defined() ? weight.detach() : weight;
  SLOPE_CHECK(options.label_smoothing == 0,
              "{}: has no label smoothing (got {}); use cross_entropy", op,
              options.label_smoothing);
  return by_row(op, log_probabilities, target, options.reduction,
                [&](const Tensor& l, const Tensor& t) {
                  if (!w.defined()) return slope::nll_loss(l, t, options);
                  check_weight(op, l, w, l.size(1));
                  return weighted_loss(op, l, t, w, options);
                });
}

}  // namespace slope::nn
