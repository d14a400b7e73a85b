// gradgradcheck: the gradient is a function of x and the cotangent u, which gradcheck checks. As
// the formulas compute it, it is also compared with what the kernels give.
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/culprit/smallest.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace slope {

namespace {

// x, u -> d<u, f(x)> / dx, by formulas and on the tape, or by kernels; undefined where nothing
// flows. `first`: f's outputs at an earlier call, of which each call must have the shapes and
// dtypes; or none.
Tensors gradients_by(const TensorFunction& f, const Tensors& x, const Tensors& u,
                     const Tensors& first, bool formula) {
  Tensors y, wanted;
  const Tensors outputs = f(x);
  if (!first.empty()) check_same_kind(first, outputs);
  for (const Tensor& output : outputs)
    if (is_floating(output.dtype())) y.push_back(output);
  for (const Tensor& input : x)
    if (input.requires_grad()) wanted.push_back(input);
  SLOPE_CHECK_AS(Unfit, y.size() == u.size(),
                 "the function returned {} floating-point outputs, not {}: it must return the same "
                 "number at every call",
                 y.size(), u.size());
  Tensors reached, weights, dx;
  for (size_t k = 0; k < y.size(); ++k) {
    if (!y[k].requires_grad()) continue;
    reached.push_back(y[k]);
    weights.push_back(u[k]);
  }
  if (!reached.empty())
    dx = grad(reached, wanted,
              {.grad_outputs = weights, .create_graph = formula, .allow_unused = true});
  return dx;
}

// A message if formulas and kernels differ; nan and infinities are left to the differences. In
// float32 both are rounded: the tolerance of the largest element holds for all.
std::string formulas_differ(const Tensors& by_formulas, const Tensors& by_kernels,
                            const Tolerance& tolerance) {
  for (size_t i = 0; i < by_formulas.size(); ++i) {
    const Tensor &a = by_formulas[i], &b = by_kernels[i];
    if (!a.defined() || !b.defined()) continue;
    const std::vector<double> x = a.detach().to_vector(), y = b.detach().to_vector();
    double scale = 0;
    for (const double v : y)
      if (a.dtype() != f64 && std::isfinite(v)) scale = std::max(scale, std::abs(v));
    for (size_t e = 0; e < x.size(); ++e)
      if (std::abs(x[e] - y[e]) > tolerance.of(std::max(scale, std::abs(y[e]))))
        return fmt::format(
            "the formulas, which are differentiated here, do not give the kernels' gradient: "
            "gradient {}, element {} is {:.9g} by formulas, but {:.9g} by kernels; compare each "
            "with differences: gradcheck, with and without .formula",
            i, e, x[e], y[e]);
  }
  return "";
}

}  // namespace

GradcheckReport gradgradcheck(const TensorFunction& f, const Tensors& inputs,
                              const Tensors& grad_outputs, const GradcheckOptions& options) {
  Tensors u = grad_outputs, first;
  if (u.empty()) {
    const Tensors y = f(inputs);
    for (size_t k = 0; k < y.size(); ++k) {
      first.push_back(y[k].detach());
      if (is_floating(y[k].dtype()))
        u.push_back(
            random_cotangent(y[k].shape(), y[k].dtype(), options.seed + 1, k).set_requires_grad());
    }
  }
  Tensors all = inputs;
  all.insert(all.end(), u.begin(), u.end());
  const auto n = static_cast<int64_t>(inputs.size());
  bool is_watched = true;  // the first pass, in which a rule that writes into its gradient shows
  const TensorFunction gradient = [&](const Tensors& xu) {
    const EnableGrad enable_grad;
    WatchBackward seen;
    std::optional<Observe> watch;
    if (std::exchange(is_watched, false)) watch.emplace(seen);
    Tensors dx =
        gradients_by(f, {xu.begin(), xu.begin() + n}, {xu.begin() + n, xu.end()}, first, true);
    if (!seen.written().empty()) throw Unfit(seen.written());
    std::erase_if(dx, [](const Tensor& g) { return !g.defined(); });
    SLOPE_CHECK_AS(UsageError, !dx.empty(),
                   "gradgradcheck: no output depends on an input that requires a gradient");
    return dx;
  };
  GradcheckOptions quiet = options;
  quiet.raise_exception = quiet.find_smallest = false;
  GradcheckReport report = gradcheck(gradient, all, quiet);
  report.check = "gradgradcheck";
  if (report.problems.empty()) {
    const EnableGrad enable_grad;
    const std::string found =
        formulas_differ(gradients_by(f, inputs, u, first, true),
                        gradients_by(f, inputs, u, first, false), {options.atol, options.rtol});
    if (!found.empty()) {
      report.ok = false;
      report.problems.push_back(found);
      quiet.formula = true;
      if (report.failed == 0 && options.find_culprit)
        report.culprits = gradcheck(f, inputs, quiet).culprits;
    }
  }
  if (report.failed > 0 && options.find_culprit && options.find_smallest)
    report.smallest = smallest_failing(gradient, all, u.size(), options);
  SLOPE_CHECK_AS(AutogradError, report.ok || !options.raise_exception, "{}", report.text());
  return report;
}

}  // namespace slope
