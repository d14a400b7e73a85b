#include <slope/autograd/gradcheck/conclude.h>
#include <slope/autograd/gradcheck/culprit/culprit.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/autograd/gradcheck/gradients.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/numeric/overlap.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/autograd/gradcheck/tally.h>
#include <slope/autograd/gradcheck/watch/cut.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

using Values = std::vector<double>;

// Of a derivative: atol is what rounding leaves of it, where terms cancel; rtol what it may change
// in backward itself.
Tolerance least_tolerance(DType coarsest) {
  if (coarsest == f64) return {1e-9, 0};
  return coarsest == f32 ? Tolerance{1e-7, 1e-3} : Tolerance{1e-5, 1e-2};
}

// Scaled so that the largest magnitude is 1.
Values scaled(Values v) {
  double largest = 0;
  for (const double x : v) largest = std::max(largest, std::abs(x));
  if (largest > 0)
    for (double& x : v) x /= largest;
  return v;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class FastCheck {
 public:
  FastCheck(const Forward& forward, size_t output, const FastOptions& options,
            GradcheckReport& report)
      : forward_(forward), output_(output), options_(options), report_(report),
        tolerance_(least_tolerance(forward.coarsest())) {
    tolerance_.rtol = std::max(tolerance_.rtol, options.rtol);
  }

  // Returns the directions that failed.
  std::vector<Direction> check(const NamedTensor& leaf, int64_t index, const Tensor& gradient,
                               const std::function<std::string()>& where_cut) {
    const Tensor& x = leaf.tensor;
    const Values at = x.detach().to_vector(),
                 g = gradient.defined() ? gradient.to_vector() : Values(at.size());
    std::vector<Direction> failing;
    const double length_of_x = std::sqrt(dot(at, at));
    Tally cut{.elements = options_.directions};
    int64_t unchecked = 0;
    for (int64_t d = 0; d < options_.directions && !at.empty(); ++d) {
      const Values v = direction(d, g, x, index);
      const auto loss = [&](double h) {
        Values moved = at;
        for (size_t i = 0; i < moved.size(); ++i) moved[i] += h * v[i];
        const Poke poke(x, moved);
        LossAt l = forward_.losses()[output_];
        l.step = h;
        return l;
      };
      const double analytic = dot(g, v);
      const Derivative numeric = derivative_of(loss, length_of_x, analytic);
      // |g| |v| / sqrt(n), the size of <g, v> in a random direction v
      const double usual = std::sqrt(dot(g, g) * dot(v, v) / static_cast<double>(v.size()));
      GradcheckLeaf& row = report_.leaves[static_cast<size_t>(index)];
      ++row.elements;
      if (!is_known(numeric, analytic, usual)) {
        ++unchecked;
        ++row.unchecked;
        ++report_.unchecked;
        continue;
      }
      ++report_.checked;
      if (agree(analytic, numeric)) continue;
      ++report_.failed;
      row.add_failure(static_cast<int64_t>(output_), analytic / numeric.value);
      failing.push_back({x, from_vector(v, x.shape())});
      if (!gradient.defined()) {
        row.is_cut = true;
        cut.cut.add(d, numeric);
        continue;
      }
      report_.failures.push_back({.op = forward_.op(output_),
                                  .input = leaf.name,
                                  .input_index = index,
                                  .output_index = static_cast<int64_t>(output_),
                                  .element = d,
                                  .analytic = analytic,
                                  .numeric = numeric.value});
    }
    cut.tell_cut(leaf.name, output_, where_cut, report_);
    if (2 * unchecked > options_.directions)
      report_.problems.push_back(fmt::format(
          "only {} of {} directions of {} could be checked for output {}: too few; choose other "
          "inputs{}",
          options_.directions - unchecked, options_.directions, leaf.name, output_,
          forward_.coarsest() == f64 ? "" : ", or float64"));
    return failing;
  }

 private:
  // The gradient itself first, unless it is 0 or not finite; then random ones.
  Values direction(int64_t d, const Values& g, const Tensor& x, int64_t leaf) const {
    if (const double size = dot(g, g); d == 0 && size > 0 && std::isfinite(size)) return scaled(g);
    const auto number = static_cast<size_t>(leaf * 64 + d);
    return scaled(random_cotangent(x.shape(), f64, options_.seed + 31, number).to_vector());
  }

  // Float64 that is flat along a whole direction hides nothing.
  double hidden_in(const Derivative& numeric) const {
    return forward_.coarsest() == f64 ? 0 : numeric.hidden;
  }
  bool agree(double analytic, const Derivative& numeric) const {
    return std::abs(analytic - numeric.value) <=
           tolerance_.of(numeric.value) + 2 * numeric.error + hidden_in(numeric);
  }
  // Whether the difference tells anything. Agreement within a large error does not; nor does a
  // disagreement that kinks explain.
  bool is_known(const Derivative& numeric, double analytic, double usual) const {
    if (numeric.kind != Derivative::Kind::smooth) return false;
    const double small = tolerance_.atol + 1e-3 * std::max(std::abs(numeric.value), usual);
    if (agree(analytic, numeric)) return numeric.error + hidden_in(numeric) <= small;
    return !numeric.may_be_kinks(analytic, tolerance_);
  }

  // A plain central difference; if it does not agree, the best of several steps along the
  // direction, whose length is 1, by up to a share of |x|.
  Derivative derivative_of(const Losses& loss, double length_of_x, double analytic) const {
    const double h = options_.step;
    const auto central = [&](double step) {
      return (loss(step).value - loss(-step).value) / (2 * step);
    };
    const double near = central(h);
    if (std::abs(near - analytic) <= tolerance_.rtol * std::abs(near)) return {.value = near};
    return differentiate(loss, length_of_x, h, {1e-12, options_.rtol}, analytic);
  }

  const Forward& forward_;
  const size_t output_;
  const FastOptions& options_;
  GradcheckReport& report_;
  Tolerance tolerance_;
};

void check_options(const FastOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.directions > 0,
                 "gradcheck_fast: directions must be above 0, got {}", options.directions);
  SLOPE_CHECK_AS(UsageError, options.step > 0 && std::isfinite(options.step),
                 "gradcheck_fast: step must be finite and above 0, got {}", options.step);
  SLOPE_CHECK_AS(UsageError, options.rtol >= 0 && std::isfinite(options.rtol),
                 "gradcheck_fast: rtol must be finite and at least 0, got {}", options.rtol);
}

}  // namespace

GradcheckReport gradcheck_fast(const std::function<Tensors()>& f, const NamedTensors& leaves,
                               const FastOptions& options) {
  NamedTensors checked;
  for (const NamedTensor& leaf : leaves)
    if (leaf.tensor.requires_grad()) checked.push_back(leaf);
  SLOPE_CHECK_AS(UsageError, !checked.empty(),
                 "gradcheck_fast: none of the {} leaves requires a gradient: there is nothing to "
                 "check",
                 leaves.size());
  check_options(options);
  GradcheckReport report;
  report.by_direction = true;
  run_part(report, [&] {
    check_overlaps(leaves);
    const Forward forward(f, checked, options.seed);
    const GradcheckOptions slow{.seed = options.seed};
    const Gradients gradients =
        all_gradients(forward, checked, {.tolerance = {slow.atol, slow.rtol}});
    report.problems = forward.not_finite();
    report.problems.insert(report.problems.end(), gradients.problems.begin(),
                           gradients.problems.end());
    for (const NamedTensor& leaf : checked) report.leaves.push_back({.name = leaf.name});
    if (!gradients.can_be_compared) return;
    const GradcheckReport before = report;
    std::vector<Direction> failing;
    size_t failing_output = 0;
    for (size_t k = 0; k < forward.outputs().size(); ++k) {
      if (!forward.is_checked(k)) continue;
      FastCheck check(forward, k, options, report);
      for (size_t i = 0; i < checked.size(); ++i) {
        const auto found = check.check(checked[i], static_cast<int64_t>(i), gradients.of[i][k],
                                       [&] { return where_cut(f, checked[i].tensor); });
        if (failing.empty()) failing_output = k;
        if (failing_output == k && !found.empty()) failing.push_back(found[0]);
      }
    }
    withdraw_if_changed(forward, before, report);
    if (report.failed > 0 && options.find_culprit)
      report.culprits = find_culprits(
          f, checked, {failing_output, forward.cotangent(failing_output), failing}, slow);
  });
  report.refuse_nothing();
  conclude(report, options.raise_exception);
  return report;
}

}  // namespace slope
