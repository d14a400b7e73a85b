#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/cases/run.h>

#include <algorithm>
#include <cmath>

namespace slope {

const char* name(InputLayout layout) {
  constexpr const char* names[] = {"contiguous", "transposed", "sliced", "expanded", "offset"};
  return names[static_cast<int>(layout)];
}

const char* name(CaseOutcome::Check check) {
  constexpr const char* names[] = {"first order", "first order by formula", "second order",
                                   "kernel = formula", "f32 = f64"};
  return names[static_cast<int>(check)];
}

namespace {

// Values in the input's domain: uniform or, if `distinct`, a shuffled grid of well separated
// values. Values near a kink are moved away from it.
Tensor values_for(const CaseInput& input, const Dims& shape, DType dtype, uint64_t seed) {
  Tensor x = Tensor::empty(shape, dtype);
  const int64_t n = x.numel();
  const RandomSite site{.seed = seed, .site = 7};
  visit_floating(dtype, "case", [&]<class T> {
    const auto out = x.write<T>();
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const auto j = static_cast<size_t>(uniform_below(site, i, static_cast<uint64_t>(i + 1)));
      order[static_cast<size_t>(i)] = order[j];
      order[j] = i;
    }
    for (int64_t i = 0; i < n; ++i) {
      double v = input.distinct ? (static_cast<double>(order[static_cast<size_t>(i)]) + 0.5) /
                                      static_cast<double>(n)
                                : uniform_f64(site, n + i);
      v = input.low + (input.high - input.low) * v;
      for (double kink : input.kinks)
        if (std::abs(v - kink) < input.away) v = kink + (v < kink ? -input.away : input.away) * 1.5;
      out[i] = static_cast<T>(static_cast<float>(v));  // the same number in f32 and f64
    }
  });
  return x;
}

}  // namespace

LaidOut lay_out(const CaseInput& input, InputLayout layout, DType dtype, uint64_t seed) {
  Dims shape = input.shape;
  const int64_t rank = static_cast<int64_t>(shape.size());
  std::function<Tensor(const Tensor&)> view = [](const Tensor& leaf) { return leaf; };
  if (layout == InputLayout::transposed && rank >= 2) {
    std::swap(shape[static_cast<size_t>(rank - 1)], shape[static_cast<size_t>(rank - 2)]);
    view = [](const Tensor& leaf) { return leaf.transpose(-1, -2); };
  } else if (layout == InputLayout::sliced && rank >= 1) {
    const int64_t last = shape.back();
    shape.back() = 2 * last + 1;
    view = [last](const Tensor& leaf) { return leaf.slice(-1, 1, 2 * last + 1, 2); };
  } else if (layout == InputLayout::offset && rank >= 1) {
    const int64_t first = shape[0];
    shape[0] = first + 2;
    view = [first](const Tensor& leaf) { return leaf.narrow(0, 1, first); };
  } else if (layout == InputLayout::expanded && rank >= 1 && !input.distinct) {
    const Dims full = shape;
    shape[0] = 1;
    view = [full](const Tensor& leaf) { return leaf.expand(full); };
  }
  return {values_for(input, shape, dtype, seed).set_requires_grad(), view};
}

namespace {

constexpr GradcheckOptions first_order{
    .eps = 1e-6, .atol = 1e-6, .rtol = 1e-5, .raise_exception = false, .find_callers = false};
constexpr GradcheckOptions second_order{
    .eps = 1e-6, .atol = 1e-5, .rtol = 1e-4, .raise_exception = false, .find_callers = false};

struct Setup {
  Tensors leaves;
  TensorFunction f;  // of the leaves
};
Setup set_up(const Case& c, InputLayout layout, DType dtype) {
  Setup setup;
  std::vector<std::function<Tensor(const Tensor&)>> views;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    LaidOut laid = lay_out(c.inputs[i], layout, dtype, 100 + i);
    setup.leaves.push_back(laid.leaf);
    views.push_back(laid.view);
  }
  setup.f = [views, &c](const Tensors& leaves) {
    Tensors x;
    for (size_t i = 0; i < leaves.size(); ++i) x.push_back(views[i](leaves[i]));
    return c.f(x);
  };
  return setup;
}

// Outputs and the gradients of all leaves, through kernels or formulas, for cotangents that vary
// with the position.
Tensors values_and_gradients(const Setup& setup, bool formula) {
  Tensors y = setup.f(setup.leaves), outputs, grad_outputs;
  for (const Tensor& output : y) {
    if (!output.requires_grad()) continue;
    Tensor u = Tensor::empty(output.shape(), output.dtype());
    visit_floating(output.dtype(), "case", [&]<class T> {
      const auto out = u.write<T>();
      for (int64_t i = 0; i < u.numel(); ++i)
        out[i] = static_cast<T>(1 + 0.25 * static_cast<double>(i % 7) -
                                0.5 * static_cast<double>(i % 3));
    });
    outputs.push_back(output);
    grad_outputs.push_back(u);
  }
  if (!outputs.empty())
    for (Tensor& g :
         grad(outputs, setup.leaves,
              {.grad_outputs = grad_outputs, .create_graph = formula, .allow_unused = true}))
      if (g.defined()) y.push_back(g);
  return y;
}

// Whether two lists of tensors agree to rtol times the largest element of each (at least 0.05,
// because a sum that cancels to 0 leaves its rounding error).
GradcheckReport compare(const Tensors& a, const Tensors& b, double rtol, const char* what) {
  GradcheckReport report;
  if (a.size() != b.size())
    report.problems.push_back(fmt::format("{}: {} values against {}", what, a.size(), b.size()));
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (!(a[k].shape() == b[k].shape())) {
      report.problems.push_back(
          fmt::format("{}: value {} has shape {} against {}", what, k, a[k].shape(), b[k].shape()));
      continue;
    }
    const std::vector<double> x = a[k].detach().to_vector(), y = b[k].detach().to_vector();
    double scale = 0.05;
    for (double v : y) scale = std::isfinite(v) ? std::max(scale, std::abs(v)) : scale;
    for (size_t i = 0; i < x.size(); ++i, ++report.checked)
      if (!(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) ||
            std::abs(x[i] - y[i]) <= rtol * scale)) {
        ++report.failed;
        if (report.failures.size() < 5)
          report.failures.push_back({.op = what,
                                     .input = "values",
                                     .output_index = static_cast<int64_t>(k),
                                     .element = static_cast<int64_t>(i),
                                     .analytic = x[i],
                                     .numeric = y[i]});
      }
  }
  report.ok = report.failed == 0 && report.problems.empty();
  return report;
}

}  // namespace

std::vector<CaseOutcome> run_case(const Case& c) {
  using Check = CaseOutcome::Check;
  std::vector<CaseOutcome> outcomes;
  for (InputLayout layout : all_layouts) {
    const auto hold = [&](Check what, const std::function<GradcheckReport()>& check) {
      GradcheckReport report;
      try {
        report = check();
      } catch (const std::exception& e) {
        report.ok = false;
        report.problems.push_back(e.what());
      }
      outcomes.push_back(
          {fmt::format("{}, {}", name(what), name(layout)), std::move(report), what, layout});
    };
    const auto options = [&](Check what, GradcheckOptions o) {
      o.formula = what == Check::first_by_formula;
      o.find_culprit = std::none_of(
          outcomes.begin(), outcomes.end(),
          [&](const CaseOutcome& other) { return other.check == what && !other.report.ok; });
      return o;
    };
    const Setup setup = set_up(c, layout, f64);
    for (const Check first : {Check::first_order, Check::first_by_formula})
      hold(first, [&] { return gradcheck(setup.f, setup.leaves, options(first, first_order)); });
    hold(Check::second_order, [&] {
      return gradgradcheck(setup.f, setup.leaves, {}, options(Check::second_order, second_order));
    });
    hold(Check::kernel_formula, [&] {
      return compare(values_and_gradients(setup, false), values_and_gradients(setup, true), 1e-12,
                     "kernel against formula");
    });
    hold(Check::f32_f64, [&] {
      return compare(values_and_gradients(set_up(c, layout, f32), false),
                     values_and_gradients(setup, false), 2e-5, "f32 against f64");
    });
  }
  return outcomes;
}

}  // namespace slope
