#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/watch/forward.h>
#include <slope/autograd/node.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <cmath>

namespace slope {

void check_same_kind(const Tensors& first, const Tensors& again) {
  SLOPE_CHECK_AS(Unfit, first.size() == again.size(),
                 "the function returned {} outputs at first, then {}: it must return the same "
                 "number at every call",
                 first.size(), again.size());
  for (size_t k = 0; k < first.size(); ++k) {
    SLOPE_CHECK_AS(Unfit, first[k].defined() && again[k].defined(),
                   "output {} is an undefined tensor: it must have a value at every call", k);
    SLOPE_CHECK_AS(
        Unfit, first[k].shape() == again[k].shape() && first[k].dtype() == again[k].dtype(),
        "output {} was {} {} at first, then {} {}: its shape must not depend on the "
        "call or on values",
        k, name(first[k].dtype()), first[k].shape(), name(again[k].dtype()), again[k].shape());
  }
}

std::string not_finite_text(const std::function<Tensors()>& f, const Tensor& y, size_t k) {
  const auto bad = is_floating(y.dtype()) ? first_not_finite(y) : std::nullopt;
  return bad ? fmt::format("output {}, element {} is {}: {}", k, bad->element,
                           std::isnan(bad->a) ? "nan" : "infinite", source_of(f, k, bad->a))
             : "";
}

namespace {

// A message unless both calls gave the same bits.
std::string not_deterministic(const Tensors& first, const Tensors& again) {
  check_same_kind(first, again);
  for (size_t k = 0; k < first.size(); ++k)
    if (const auto at = first_difference(first[k], again[k]))
      return fmt::format(
          "the function is not deterministic: output {}, element {} was {}, then {} for "
          "the same inputs; fix its random numbers, and keep no state between calls",
          k, at->element, at->a_text(), at->b_text());
  return "";
}

}  // namespace

Forward::Forward(const std::function<Tensors()>& f, const NamedTensors& leaves, uint64_t seed)
    : f_(f) {
  Tensors before;
  for (const NamedTensor& leaf : leaves) before.push_back(contiguous_copy(leaf.tensor));
  outputs_ = f();
  for (size_t i = 0; i < leaves.size(); ++i)
    if (const auto at = first_difference(before[i], leaves[i].tensor))
      throw Unfit(
          fmt::format("the function writes into its input: {}, element {} was {} and is {} "
                      "after the call; clone() it before writing",
                      leaves[i].name, at->element, at->a_text(), at->b_text()));
  SeesRounding seen;
  {
    const Observe observe(seen);
    const std::string found = not_deterministic(outputs_, f());
    if (!found.empty()) throw Unfit(found);
  }
  SLOPE_CHECK_AS(Unfit,
                 std::any_of(outputs_.begin(), outputs_.end(),
                             [](const Tensor& y) { return is_floating(y.dtype()); }),
                 "no output has a floating-point dtype: there is nothing to check");

  for (size_t k = 0; k < outputs_.size(); ++k) {
    const Tensor& y = outputs_[k];
    if (y.dtype() == f32 && seen.coarsest == f64) seen.coarsest = f32;
    const bool is_number = is_floating(y.dtype());
    const std::string bad = not_finite_text(f, y, k);
    if (!bad.empty()) not_finite_.push_back(bad);
    cotangents_.push_back(is_number && bad.empty() ? random_cotangent(y.shape(), y.dtype(), seed, k)
                                                   : Tensor());
    weights_.push_back(cotangents_[k].defined() ? cotangents_[k].to_vector()
                                                : std::vector<double>());
  }
  coarsest_ = seen.coarsest;
}

std::string Forward::change() const { return not_deterministic(outputs_, f_()); }

std::string Forward::op(size_t k) const {
  const Ref<Node> node = gradient_node(outputs_[k]);
  return node ? node->op->name : "no op";
}

// Without a tape, unless f itself differentiates and so needs one.
Tensors Forward::evaluate() const {
  if (!needs_tape_) try {
      const NoGrad no_grad;
      return f_();
    } catch (const AutogradError&) {
      needs_tape_ = true;
    }
  const EnableGrad enable_grad;
  return f_();
}

std::vector<LossAt> Forward::losses() const {
  const Tensors y = evaluate();
  check_same_kind(outputs_, y);
  std::vector<LossAt> result(y.size());
  const double rounding = coarsest_ == bf16 ? bf16_rounding : coarsest_ == f32 ? f32_rounding : 0;
  for (size_t k = 0; k < y.size(); ++k) {
    if (!is_checked(k)) continue;
    const std::vector<double> values = y[k].detach().to_vector();
    for (size_t i = 0; i < values.size(); ++i) {
      const double term = weights_[k][i] * values[i];
      result[k].value += term;
      result[k].scale += std::abs(term);
      result[k].rounding += std::abs(term) * rounding / 2;
    }
  }
  return result;
}

}  // namespace slope
