// Shared by the losses: checks and counts of class targets, options, reduction.
// Private to autograd.
#pragma once

#include <slope/autograd/ops/reduce/rows.h>

namespace slope {

// Checks dtype, shape and range of the targets. Returns them, contiguous, and how many are not
// ignored. `scores` are (N, C) with targets (N), or (C) with a scalar target.
inline std::pair<Tensor, int64_t> check_targets(const char* op, const Dims& scores,
                                                const Tensor& target, int64_t ignore_index) {
  SLOPE_CHECK_DTYPE(target.dtype() == i64, "{}: targets must be class numbers (int64), got {}", op,
                    name(target.dtype()));
  const bool fits = (scores.size() == 1 && target.rank() == 0) ||
                    (scores.size() == 2 && target.shape() == Dims{scores[0]});
  SLOPE_CHECK_SHAPE(
      fits, "{}: scores must be (N, C) with targets (N), or (C) with one target; got {} and {}", op,
      scores, target.shape());
  const Tensor t = contiguous_values(target);
  const int64_t* data = t.data<int64_t>();
  const int64_t classes = scores.back();
  int64_t count = 0;
  for (int64_t i = 0; i < t.numel(); ++i) {
    if (data[i] == ignore_index) continue;
    SLOPE_CHECK_INDEX(data[i] >= 0 && data[i] < classes,
                      "{}: target {} at position {} is outside [0, {})", op, data[i], i, classes);
    ++count;
  }
  return {t, count};
}

inline void check_smoothing(const char* op, double smoothing) {
  SLOPE_CHECK(smoothing >= 0 && smoothing <= 1, "{}: label_smoothing must be within [0, 1], got {}",
              op, smoothing);
}

// The loss of each row's log-probabilities, reduced; a composite of differentiable operations.
Tensor loss_of_log_probabilities(const Tensor& log_probabilities, const Tensor& target,
                                 int64_t count, const CrossEntropyOptions& options);

// x (*, n) with 0 in the rows whose target is ignored: their values affect neither the loss nor a
// derivative, not even if they are inf or nan.
Tensor without_ignored(const Tensor& x, const Tensor& target, const CrossEntropyOptions& options);

// Binary cross entropy of each element (bce_with_logits.cpp).
Tensor bce_of_elements(const Tensor& x, const Tensor& target);

// losses (N) summed in double, in order; the mean is over `count`.
template <class T>
Tensor reduce_losses(const Tensor& losses, Reduction reduction, int64_t count) {
  if (reduction == Reduction::none) return losses;
  const T* l = losses.data<T>();
  double sum = 0;
  for (int64_t i = 0; i < losses.numel(); ++i) sum += static_cast<double>(l[i]);
  const Tensor y = Tensor::empty({}, losses.dtype());
  const auto out = y.write<T>();
  *out = static_cast<T>(reduction == Reduction::mean ? sum / static_cast<double>(count) : sum);
  return y;
}

inline Attributes to_attributes(const CrossEntropyOptions& options, int64_t count,
                                bool bias = false) {
  return {{"ignore_index", options.ignore_index},
          {"label_smoothing", options.label_smoothing},
          {"reduction", static_cast<int64_t>(options.reduction)},
          {"count", count},
          {"bias", int64_t{bias}}};
}
inline CrossEntropyOptions options_of(const Saved& s) {
  return {s.integer("ignore_index"), s.number("label_smoothing"),
          static_cast<Reduction>(s.integer("reduction"))};
}

}  // namespace slope
