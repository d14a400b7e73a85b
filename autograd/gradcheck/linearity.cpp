#include <slope/autograd/gradcheck/linearity.h>
#include <slope/autograd/gradcheck/numeric/gaps.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/autograd/gradcheck/rounding.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

// a u + v, v contiguous
Tensor combined(double a, const Tensor& u, const Tensor& v) {
  Tensor w = contiguous_copy(u);
  visit_floating(w.dtype(), "gradcheck", [&]<class T> {
    const auto out = w.write<T>();
    const T* y = v.data<T>();
    for (int64_t i = 0; i < w.numel(); ++i) out[i] = static_cast<T>(a) * out[i] + y[i];
  });
  return w;
}

// of those that are finite
double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double v : values)
    if (std::isfinite(v)) found = std::max(found, std::abs(v));
  return found;
}

// Backward is a linear function G of the cotangent: G(a u + v) = a G(u) + G(v). Here a is large,
// so that a rule that clips gradients clips in G(a u + v) but not in G(u) and G(v). v is one
// number, expanded, as the rule of a sum passes it on, and a u + v lies in strides: a rule that
// reads g as if it were contiguous reads nan. A rule that clips far up, drops small gradients or
// divides by g shows with multiples of u.
class Linearity {
 public:
  Linearity(const Passes& passes, const Tensor& u, const Tensors& of_u, const NamedTensors& leaves,
            const LinearityOptions& options)
      : passes_(passes), u_(u), of_u_(of_u), leaves_(leaves), options_(options),
        tolerance_(options.tolerance), v_(full(u.shape(), v, u.dtype())),
        both_(combined(a, u, v_)) {}

  // Returns a message if this does not hold.
  std::string problem() {
    std::string found = of_sum();
    const double small = std::max(0x1p-40, options_.factors.least),
                 large = std::min(0x1p20, options_.factors.most);
    for (const double c : {small, large, -1.0, 0.0})
      if (found.empty()) found = of_scaled(c);
    return found;
  }

 private:
  std::string of_sum() {
    const Tensor v_expanded = expanded_with_gaps(v, v_.shape(), v_.dtype()),
                 both_strided = strided_with_gaps(both_);
    Tensors of_v, of_both;
    try {
      of_v = passes_.run_as(v_expanded);
      of_both = passes_.run_as(both_strided);
    } catch (const OperandError& e) {
      return fmt::format("{}: a rule refuses one that is not contiguous: {}", layout_text,
                         e.what());
    }
    if (not_linear(of_v, of_both).empty()) return "";
    for (const auto& [w, once] : {std::pair(v_expanded, of_v), {both_strided, of_both}})
      if (std::string found = not_repeatable(once, passes_.run_as(w), leaves_, ""); !found.empty())
        return found;
    rounding_ = rounding_of([&](double c) { return passes_.run(scaled(c, both_)); },
                            options_.rounds_to_bf16);
    if (not_linear(of_v, of_both).empty()) return "";
    if (std::string found = depends_on_layout(both_strided, "lies in strides"); !found.empty())
      return found;
    if (std::string found = depends_on_layout(v_expanded, "is one number, expanded");
        !found.empty())
      return found;
    return not_linear(passes_.run(v_), passes_.run(both_));
  }

  // G(c u) = c G(u) to the last bit, as c is a power of two, -1 or 0
  std::string of_scaled(double c) const {
    const Tensor w = scaled(c, u_);
    const Tensors of_w = passes_.run(w);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (!of_u_[i].defined() || !of_w[i].defined()) continue;
      const std::vector<double> gu = of_u_[i].to_vector(), gw = of_w[i].to_vector();
      const double allowed = std::abs(c) * tolerance_.of(largest(gu));
      for (size_t e = 0; e < gw.size(); ++e) {
        if (!differ(gw[e], c * gu[e], gu[e], allowed)) continue;
        if (std::string found = not_repeatable(of_w, passes_.run(w), leaves_, ""); !found.empty())
          return found;
        return fmt::format(
            "backward is {}: {}, element {} is {:.9g} for u, but {:.9g} for {:.3g} u; a rule "
            "multiplies g, which may be large, small or 0",
            not_linear_text, leaves_[i].name, e, gu[e], gw[e], c);
      }
    }
    return "";
  }

  std::string not_linear(const Tensors& of_v, const Tensors& of_both) const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (!of_u_[i].defined() || !of_v[i].defined() || !of_both[i].defined()) continue;
      const std::vector<double> gu = of_u_[i].to_vector(), gv = of_v[i].to_vector(),
                                both = of_both[i].to_vector();
      const double allowed = a * tolerance_.of(largest(gu) + largest(gv) / a) + rounding_[i];
      for (size_t e = 0; e < both.size(); ++e)
        if (const double sum = a * gu[e] + gv[e]; differ(both[e], sum, gu[e], allowed))
          return fmt::format(
              "backward is {}: {}, element {} is {:.9g} for {} u + v, but {:.9g} from u and v "
              "separately; "
              "a rule multiplies g, it must not clip, round or square it",
              not_linear_text, leaves_[i].name, e, both[e], a, sum);
    }
    return "";
  }

  std::string depends_on_layout(const Tensor& g, const char* layout) const {
    WatchBackward seen, seen_in_a_row;
    const Tensors found = passes_.run_as(g, seen), in_a_row = passes_.run(g, seen_in_a_row);
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (!found[i].defined() || !in_a_row[i].defined()) continue;
      const std::vector<double> x = found[i].to_vector(), right = in_a_row[i].to_vector();
      const double allowed = tolerance_.of(largest(right)) + rounding_[i];
      for (size_t e = 0; e < x.size(); ++e)
        if (differ(x[e], right[e], right[e], allowed))
          return fmt::format(
              "{}, first in {}: {}, element {} is {:.9g} if g {}, but {:.9g} if the same numbers "
              "lie in a row; a rule reads g by its strides, or contiguous_copy(g)",
              layout_text, seen.first_change(seen_in_a_row), leaves_[i].name, e, x[e], layout,
              right[e]);
    }
    return "";
  }

  // nan differs, unless `given`, which is known to be right, is not finite either
  static bool differ(double x, double y, double given, double allowed) {
    return !(std::abs(x - y) <= allowed) && std::isfinite(given);
  }

  const Passes& passes_;
  const Tensor& u_;
  const Tensors& of_u_;
  const NamedTensors& leaves_;
  const LinearityOptions& options_;
  // of like size, so that a mistake in either shows
  const double a = std::min(1024.0, options_.factors.most), v = 0.75 * a;
  const Tolerance tolerance_;
  const Tensor v_, both_;
  std::vector<double> rounding_ = std::vector<double>(leaves_.size());
};

}  // namespace

std::string linearity_problem(const Passes& passes, const Tensor& u, const Tensors& of_u,
                              const NamedTensors& leaves, const LinearityOptions& options) {
  return Linearity(passes, u, of_u, leaves, options).problem();
}

}  // namespace slope
