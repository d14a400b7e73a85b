#include <slope/autograd/gradcheck/compare.h>
#include <slope/autograd/gradcheck/conclude.h>
#include <slope/autograd/gradcheck/culprit/culprit.h>
#include <slope/autograd/gradcheck/culprit/smallest.h>
#include <slope/autograd/gradcheck/gradients.h>
#include <slope/autograd/gradcheck/numeric/overlap.h>
#include <slope/autograd/gradcheck/watch/cut.h>

namespace slope {

namespace {

void check(const std::function<Tensors()>& f, const NamedTensors& leaves,
           const GradcheckOptions& options, GradcheckReport& report) {
  const Forward forward(f, leaves, options.seed);
  const Tensors& y = forward.outputs();
  const Gradients gradients = all_gradients(
      forward, leaves, {.formula = options.formula, .tolerance = {options.atol, options.rtol}});
  report.problems = forward.not_finite();
  report.problems.insert(report.problems.end(), gradients.problems.begin(),
                         gradients.problems.end());
  if (gradients.can_be_compared) {
    const GradcheckReport before = report;
    for (size_t i = 0; i < leaves.size(); ++i)
      compare(
          forward, leaves[i], static_cast<int64_t>(i), gradients.of[i],
          [&] { return where_cut(f, leaves[i].tensor); }, options, report);
    withdraw_if_changed(forward, before, report);
  }
  if (report.failed > 0 && options.find_culprit) {
    Tensors cotangents;
    for (size_t k = 0; k < y.size(); ++k) cotangents.push_back(forward.cotangent(k));
    report.culprits =
        find_culprits(f, leaves, failing_elements(leaves, cotangents, report), options);
  }
}

}  // namespace

GradcheckReport gradcheck(const std::function<Tensors()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options) {
  NamedTensors checked;
  for (const NamedTensor& leaf : leaves)
    if (leaf.tensor.requires_grad()) checked.push_back(leaf);
  SLOPE_CHECK_AS(UsageError, !checked.empty(),
                 "gradcheck: none of the {} inputs requires a gradient: there is nothing to check",
                 leaves.size());
  check_options(options);
  GradcheckReport report;
  for (const NamedTensor& leaf : checked)
    if (leaf.tensor.dtype() == f32)
      report.notes.push_back(
          fmt::format("{} is float32: differences of {} are lost in rounding; use float64",
                      leaf.name, options.eps));
  run_part(report, [&] {
    check_overlaps(leaves);
    check(f, checked, options, report);
  });
  if (!options.allow_nothing) report.refuse_nothing();
  conclude(report, options.raise_exception);
  return report;
}

GradcheckReport gradcheck(const TensorFunction& f, const Tensors& inputs,
                          const GradcheckOptions& options) {
  NamedTensors leaves;
  for (size_t i = 0; i < inputs.size(); ++i)
    leaves.push_back({fmt::format("input {}", i), inputs[i]});
  const std::function<Tensors()> bound = [&] { return f(inputs); };
  GradcheckOptions quiet = options;
  quiet.raise_exception = false;
  GradcheckReport report = gradcheck(bound, leaves, quiet);
  if (report.failed > 0 && options.find_culprit && options.find_smallest)
    report.smallest = smallest_failing(f, inputs, 0, options);
  conclude(report, options.raise_exception);
  return report;
}

}  // namespace slope
