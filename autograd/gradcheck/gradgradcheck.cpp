// gradgradcheck: the gradient is a function of x and the cotangent u, which gradcheck checks. As
// the formulas compute it, it is also compared with what the kernels give.
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/analytic.h>
#include <slope/autograd/gradcheck/conclude.h>
#include <slope/autograd/gradcheck/culprit/smallest.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace slope {

namespace {

// x, u -> d<u, f(x)> / dx, by formulas and on the tape, or by kernels; undefined where nothing
// flows. `first`: f's outputs at an earlier call, of which each call must have the shapes and
// dtypes.
Tensors gradients_by(const TensorFunction& f, const Tensors& x, const Tensors& u,
                     const Tensors& first, bool formula) {
  Tensors y, wanted;
  const Tensors outputs = f(x);
  check_same_kind(first, outputs);
  for (const Tensor& output : outputs)
    if (is_floating(output.dtype())) y.push_back(output);
  for (const Tensor& input : x)
    if (input.requires_grad()) wanted.push_back(input);
  Tensors reached, weights, dx(wanted.size());
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

// A message if formulas and kernels differ. An undefined gradient is zeros; nan and infinities of
// the formulas are left to the differences. In float32 both are rounded: the tolerance of the
// largest element holds for all.
std::string formulas_differ(const Tensors& by_formulas, const Tensors& by_kernels,
                            const Tolerance& tolerance) {
  for (size_t i = 0; i < by_formulas.size(); ++i) {
    const Tensor &a = by_formulas[i], &b = by_kernels[i];
    if (!a.defined() && !b.defined()) continue;
    const Tensor& either = a.defined() ? a : b;
    const auto values = [&](const Tensor& g) {
      return (g.defined() ? g : zeros_like(either)).detach().to_vector();
    };
    const std::vector<double> x = values(a), y = values(b);
    double scale = 0;
    for (const double v : y)
      if (either.dtype() != f64 && std::isfinite(v)) scale = std::max(scale, std::abs(v));
    const auto allowed = [&](double v) {
      return std::isfinite(v) ? tolerance.of(std::max(scale, std::abs(v))) : 0;
    };
    for (size_t e = 0; e < x.size(); ++e)
      if (std::isfinite(x[e]) && !(std::abs(x[e] - y[e]) <= allowed(y[e])))
        return fmt::format(
            "the formulas, which are differentiated here, do not give the kernels' gradient: "
            "gradient {}, element {} is {:.9g} by formulas, but {:.9g} by kernels; compare each "
            "with differences: gradcheck, with and without .formula",
            i, e, x[e], y[e]);
  }
  return "";
}

void check_like(const Tensors& given, const Tensors& cotangents) {
  SLOPE_CHECK_AS(UsageError, given.size() == cotangents.size(),
                 "gradgradcheck: {} grad_outputs for {} floating-point outputs", given.size(),
                 cotangents.size());
  for (size_t k = 0; k < given.size(); ++k) {
    const Tensor &g = given[k], &u = cotangents[k];
    SLOPE_CHECK_AS(UsageError, g.shape() == u.shape() && g.dtype() == u.dtype(),
                   "gradgradcheck: grad_output {} is {} {}, its output {} {}", k, name(g.dtype()),
                   g.shape(), name(u.dtype()), u.shape());
  }
}

// What the first call of f shows: the kind of its outputs, on no tape, and what is wrong with them.
struct FirstCall {
  Tensors outputs, cotangents;  // cotangents: of the floating-point outputs, unless they are given
  std::vector<std::string> not_finite;

  FirstCall(const TensorFunction& f, const Tensors& inputs, uint64_t seed) {
    const Tensors y = f(inputs);
    check_same_kind(y, y);  // all are defined
    for (size_t k = 0; k < y.size(); ++k) {
      outputs.push_back(y[k].detach());
      if (std::string bad = not_finite_text([&] { return f(inputs); }, y[k], k); !bad.empty())
        not_finite.push_back(std::move(bad));
      if (is_floating(y[k].dtype()))
        cotangents.push_back(
            random_cotangent(y[k].shape(), y[k].dtype(), seed, k).set_requires_grad());
    }
  }
};

// The formulas' gradients, on no tape.
Tensors gradients_by_formulas(const TensorFunction& f, const Tensors& inputs, const Tensors& u,
                              const Tensors& first) {
  const EnableGrad enable_grad;
  Tensors gradients = gradients_by(f, inputs, u, first, true);
  for (Tensor& g : gradients)
    if (g.defined()) g = g.detach();
  return gradients;
}

// What is wrong with the passes that compute the formulas' gradients.
std::vector<std::string> problems_of_passes(const TensorFunction& f, const Tensors& inputs,
                                            const NamedTensors& leaves, const Tensors& u,
                                            const Tensors& first, const GradcheckOptions& options) {
  const EnableGrad enable_grad;
  const Tensors outputs = f(inputs);
  check_same_kind(first, outputs);
  std::vector<std::string> problems;
  size_t next = 0;
  for (const Tensor& y : outputs) {
    if (!is_floating(y.dtype())) continue;
    const Analytic found = gradients_of(
        y, u[next++], leaves, {.formula = true, .tolerance = {options.atol, options.rtol}});
    problems.insert(problems.end(), found.problems.begin(), found.problems.end());
  }
  return problems;
}

// Runs passes by formulas and kernels after all others. A problem joins the report if the formulas
// give other gradients than at first, or than the kernels.
void check_last_passes(const TensorFunction& f, const Tensors& inputs, const NamedTensors& leaves,
                       const Tensors& u, const Tensors& first, const Tensors& at_first,
                       const GradcheckOptions& options, GradcheckReport& report) {
  const EnableGrad enable_grad;
  const Tensors by_formulas = gradients_by(f, inputs, u, first, true),
                by_kernels = gradients_by(f, inputs, u, first, false);
  std::string found = not_repeatable(at_first, by_formulas, leaves, "");
  if (!found.empty()) return report.problems.push_back(found);
  found = formulas_differ(by_formulas, by_kernels, {options.atol, options.rtol});
  if (found.empty()) return;
  report.problems.push_back(found);
  GradcheckOptions through_formulas = options;
  through_formulas.formula = true;
  if (report.failed == 0 && options.find_culprit)
    report.culprits = gradcheck(f, inputs, through_formulas).culprits;
}

GradcheckReport check_twice(const TensorFunction& f, const Tensors& inputs,
                            const Tensors& grad_outputs, const GradcheckOptions& options) {
  check_options(options);
  GradcheckReport report;
  std::optional<FirstCall> first;
  run_part(report, [&] { first.emplace(f, inputs, options.seed + 1); });
  if (!first) return report;
  if (!grad_outputs.empty()) check_like(grad_outputs, first->cotangents);
  const Tensors &u = grad_outputs.empty() ? first->cotangents : grad_outputs, &y = first->outputs;
  NamedTensors leaves;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].requires_grad()) leaves.push_back({fmt::format("input {}", i), inputs[i]});
  Tensors at_first;  // by the formulas
  if (first->not_finite.empty())
    run_part(report, [&] {
      at_first = gradients_by_formulas(f, inputs, u, y);
      report.problems = problems_of_passes(f, inputs, leaves, u, y, options);
    });
  if (!report.problems.empty()) return report;
  Tensors all = inputs;
  all.insert(all.end(), u.begin(), u.end());
  const auto n = static_cast<int64_t>(inputs.size());
  const TensorFunction gradient = [&](const Tensors& xu) {
    const EnableGrad enable_grad;
    Tensors dx = gradients_by(f, {xu.begin(), xu.begin() + n}, {xu.begin() + n, xu.end()}, y, true);
    std::erase_if(dx, [](const Tensor& g) { return !g.defined(); });
    SLOPE_CHECK_AS(Unfit, !dx.empty(), "no output depends on an input that requires a gradient");
    return dx;
  };
  GradcheckOptions quiet = options;
  quiet.raise_exception = quiet.find_smallest = false;
  report = gradcheck(gradient, all, quiet);
  report.problems.insert(report.problems.begin(), first->not_finite.begin(),
                         first->not_finite.end());
  if (report.problems.empty())
    run_part(report, [&] { check_last_passes(f, inputs, leaves, u, y, at_first, quiet, report); });
  if (report.failed > 0 && options.find_culprit && options.find_smallest)
    report.smallest = smallest_failing(gradient, all, u.size(), options);
  return report;
}

}  // namespace

GradcheckReport gradgradcheck(const TensorFunction& f, const Tensors& inputs,
                              const Tensors& grad_outputs, const GradcheckOptions& options) {
  GradcheckReport report = check_twice(f, inputs, grad_outputs, options);
  report.check = "gradgradcheck";
  conclude(report, options.raise_exception);
  return report;
}

}  // namespace slope
