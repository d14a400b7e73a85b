// Losses as modules whose class or element weights are buffers: state_dict has them, and to(dtype)
// converts them.
#pragma once

#include <slope/nn/functional/losses.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

namespace detail {

inline std::optional<Buffer> buffer_or_none(const Tensor& x) {
  if (!x.defined()) return std::nullopt;
  return Buffer(x.detach().clone());  // a copy: to(dtype) and load leave the caller's as it is
}
inline Tensor value_of(const std::optional<Buffer>& b) { return b ? Tensor(*b) : Tensor(); }

}  // namespace detail

struct CrossEntropyLoss {
  std::optional<Buffer> weight;  // (C)
  CrossEntropyOptions options;
  explicit CrossEntropyLoss(const CrossEntropyOptions& o = {}, const Tensor& of_classes = {})
      : weight(detail::buffer_or_none(of_classes)), options(o) {}
  Tensor forward(const Tensor& logits, const Tensor& target) const {
    return cross_entropy(logits, target, detail::value_of(weight), options);
  }
  CrossEntropyLoss blank() const { return CrossEntropyLoss(options, detail::value_of(weight)); }
  SLOPE_MODULE(CrossEntropyLoss, weight)
};

struct NLLLoss {
  std::optional<Buffer> weight;  // (C)
  CrossEntropyOptions options;   // label_smoothing must be 0
  explicit NLLLoss(const CrossEntropyOptions& o = {}, const Tensor& of_classes = {})
      : weight(detail::buffer_or_none(of_classes)), options(o) {}
  Tensor forward(const Tensor& log_probabilities, const Tensor& target) const {
    return nll_loss(log_probabilities, target, detail::value_of(weight), options);
  }
  NLLLoss blank() const { return NLLLoss(options, detail::value_of(weight)); }
  SLOPE_MODULE(NLLLoss, weight)
};

struct BCELoss {
  std::optional<Buffer> weight;  // of each element
  Reduction reduction;
  explicit BCELoss(const BceOptions& o = {})
      : weight(detail::buffer_or_none(o.weight)), reduction(o.reduction) {
    SLOPE_CHECK(!o.pos_weight.defined(), "BCELoss: has no pos_weight; BCEWithLogitsLoss has");
  }
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return binary_cross_entropy(x, t, options());
  }
  BceOptions options() const {
    return {.reduction = reduction, .weight = detail::value_of(weight)};
  }
  BCELoss blank() const { return BCELoss(options()); }
  SLOPE_MODULE(BCELoss, weight)
};

struct BCEWithLogitsLoss {
  std::optional<Buffer> weight, pos_weight;
  Reduction reduction;
  explicit BCEWithLogitsLoss(const BceOptions& o = {})
      : weight(detail::buffer_or_none(o.weight)), pos_weight(detail::buffer_or_none(o.pos_weight)),
        reduction(o.reduction) {}
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return binary_cross_entropy_with_logits(x, t, options());
  }
  BceOptions options() const {
    return {reduction, detail::value_of(weight), detail::value_of(pos_weight)};
  }
  BCEWithLogitsLoss blank() const { return BCEWithLogitsLoss(options()); }
  SLOPE_MODULE(BCEWithLogitsLoss, weight, pos_weight)
};

struct MultiLabelSoftMarginLoss {
  std::optional<Buffer> weight;  // (C)
  Reduction reduction;
  explicit MultiLabelSoftMarginLoss(const WeightedOptions& o = {})
      : weight(detail::buffer_or_none(o.weight)), reduction(o.reduction) {}
  Tensor forward(const Tensor& x, const Tensor& t) const {
    return multilabel_soft_margin_loss(x, t, options());
  }
  WeightedOptions options() const { return {reduction, detail::value_of(weight)}; }
  MultiLabelSoftMarginLoss blank() const { return MultiLabelSoftMarginLoss(options()); }
  SLOPE_MODULE(MultiLabelSoftMarginLoss, weight)
};

struct MultiMarginLoss {
  std::optional<Buffer> weight;  // (C)
  MultiMarginOptions options;    // forward takes the buffer instead of options.weight
  explicit MultiMarginLoss(const MultiMarginOptions& o = {})
      : weight(detail::buffer_or_none(o.weight)), options(o) {}
  Tensor forward(const Tensor& x, const Tensor& t) const {
    MultiMarginOptions now = options;
    now.weight = detail::value_of(weight);
    return multi_margin_loss(x, t, now);
  }
  MultiMarginLoss blank() const { return MultiMarginLoss(options); }
  SLOPE_MODULE(MultiMarginLoss, weight)
};

}  // namespace slope::nn
