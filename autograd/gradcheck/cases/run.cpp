#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/cases/digits.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/core/loops/copy.h>
#include <slope/core/memory/scarce.h>

#include <algorithm>
#include <cmath>

namespace slope {

const char* name(InputLayout layout) {
  constexpr const char* names[] = {"contiguous", "transposed", "sliced", "expanded", "offset"};
  return names[static_cast<int>(layout)];
}

const char* name(CaseOutcome::Check check) {
  constexpr const char* names[] = {"first order",      "first order by formula", "second order",
                                   "kernel = formula", "layouts of g",           "digits of f64",
                                   "f32 = f64"};
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
Setup set_up(const Case& c, InputLayout layout, DType dtype, uint64_t seed) {
  Setup setup;
  std::vector<std::function<Tensor(const Tensor&)>> views;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    LaidOut laid = lay_out(c.inputs[i], layout, dtype, 100 + i + 1000 * seed);
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

// A cotangent of a fixed pattern that varies with the position.
Tensor cotangent(const Tensor& output) {
  Tensor u = Tensor::empty(output.shape(), output.dtype());
  visit_floating(output.dtype(), "case", [&]<class T> {
    const auto out = u.write<T>();
    for (int64_t i = 0; i < u.numel(); ++i)
      out[i] =
          static_cast<T>(1 + 0.25 * static_cast<double>(i % 7) - 0.5 * static_cast<double>(i % 3));
  });
  return u;
}

// g's numbers with other strides, as a transposition or a slice passes them to a rule.
Tensor strided(const Tensor& g) {
  if (g.rank() == 0) return g;
  if (g.rank() > 1) return contiguous_copy(g.transpose(-1, -2)).transpose(-1, -2);
  return contiguous_copy(stack({g, -g}, 1)).select(1, 0);
}
// 1 everywhere, expanded from one element, as the rule of a sum passes it on.
Tensor expanded(const Tensor& g) { return full({}, 1, g.dtype()).expand(g.shape()); }
Tensor ones_for(const Tensor& g) { return full(g.shape(), 1, g.dtype()); }

struct How {
  bool formula = false;
  int uses = 1;                                    // calls whose gradients are added
  Tensor (*g)(const Tensor& cotangent) = nullptr;  // g; if null, the cotangent
};
// The outputs, and the gradients of all leaves.
Tensors values_and_gradients(const Setup& setup, const How& how) {
  Tensors y = setup.f(setup.leaves), outputs, grad_outputs;
  for (int use = 0; use < how.uses; ++use)
    for (const Tensor& output : use == 0 ? y : setup.f(setup.leaves)) {
      if (!output.requires_grad()) continue;
      outputs.push_back(output);
      const Tensor u = cotangent(output);
      grad_outputs.push_back(how.g ? how.g(u) : u);
    }
  if (outputs.empty()) return y;
  for (Tensor& g :
       grad(outputs, setup.leaves,
            {.grad_outputs = grad_outputs, .create_graph = how.formula, .allow_unused = true}))
    if (g.defined()) y.push_back(how.uses == 1 ? g : g * (1.0 / how.uses));
  return y;
}

// Whether |a - b| <= rtol * scale for every element. A tensor's scale is the largest finite |b| in
// it, but at least 0.05 * terms: where a sum of that many terms cancels to 0, only rounding is
// left.
GradcheckReport compare(const Tensors& a, const Tensors& b, double rtol, const char* what,
                        double terms = 1) {
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
    double scale = 0.05 * terms;
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

// The largest number of input elements that share one element of a leaf.
double most_repeats(const Case& c, InputLayout layout) {
  int64_t most = 1;
  for (const CaseInput& input : c.inputs)
    if (layout == InputLayout::expanded && !input.shape.empty())
      most = std::max(most, input.shape[0]);
  return static_cast<double>(most);
}

using Check = CaseOutcome::Check;

// Collects the outcomes of a case; a check that throws counts as failed.
class Run {
 public:
  Run(const Case& c, const CaseOptions& o) : case_(c), seed_(o.seed), sample_(o.sample) {}

  std::vector<CaseOutcome> outcomes() && { return std::move(outcomes_); }

  void usual(InputLayout layout) {
    const Setup setup = set_up(case_, layout, f64, seed_);
    for (const Check first : {Check::first_order, Check::first_by_formula})
      hold(first, layout,
           [&] { return gradcheck(setup.f, setup.leaves, options(first, first_order)); });
    hold(Check::second_order, layout, [&] {
      return gradgradcheck(setup.f, setup.leaves, {}, options(Check::second_order, second_order));
    });
    hold(Check::kernel_formula, layout, [&] { return kernel_against_formula(setup, 1e-12); });
    hold(Check::digits, layout, [&] { return digits(setup); });
    hold(Check::layouts_of_g, layout, [&] { return layouts_of_g(setup); });
    hold(Check::f32_f64, layout, [&] {
      return compare(values_and_gradients(set_up(case_, layout, f32, seed_), {}),
                     values_and_gradients(setup, {}), 2e-5, "f32 against f64",
                     most_repeats(case_, layout));
    });
  }

  void large(InputLayout layout) {
    const Setup setup = set_up(case_, layout, f64, seed_);
    NamedTensors leaves;
    for (size_t i = 0; i < setup.leaves.size(); ++i)
      leaves.push_back({fmt::format("input {}", i), setup.leaves[i]});
    hold(Check::first_order, layout, [&] {
      return gradcheck_fast(
          [&] { return setup.f(setup.leaves); }, leaves,
          {.directions = 2, .raise_exception = false, .find_culprit = false, .seed = seed_});
    });
    hold(Check::kernel_formula, layout, [&] { return kernel_against_formula(setup, 1e-11); });
  }

  void at_points(DType dtype) {
    for (const bool formula : {false, true})
      hold(formula ? Check::first_by_formula : Check::first_order, InputLayout::contiguous, [&] {
        const size_t n = case_.inputs.size();
        SLOPE_CHECK_AS(UsageError, case_.values.size() == n && case_.expected.size() == n,
                       "{} ({}): points need each input's values and the gradient expected there",
                       case_.name, case_.label);
        Tensors leaves, expected, ones;
        for (size_t i = 0; i < n; ++i) {
          const Dims& shape = case_.inputs[i].shape;
          leaves.push_back(to(from_vector(case_.values[i], shape), dtype).set_requires_grad());
          expected.push_back(from_vector(case_.expected[i], shape));
        }
        const Tensors y = case_.f(leaves);
        for (const Tensor& output : y) ones.push_back(full(output.shape(), 1, dtype));
        return compare(grad(y, leaves, {.grad_outputs = ones, .create_graph = formula}), expected,
                       dtype == f32 ? 1e-5 : 1e-10, "what is expected");
      });
  }

 private:
  void hold(Check check, InputLayout layout, const std::function<GradcheckReport()>& run) {
    GradcheckReport report;
    try {
      report = run();
    } catch (const std::exception& e) {
      rethrow_if_scarce();
      report.ok = false;
      report.problems.push_back(e.what());
    }
    outcomes_.push_back({fmt::format("{}, {}", name(check), name(layout)), std::move(report), check,
                         layout, case_.kind});
  }

  // Only the first failure of each check gets a culprit, which takes long to find.
  GradcheckOptions options(Check check, GradcheckOptions o) const {
    o.formula = check == Check::first_by_formula;
    o.seed = seed_, o.sample = sample_, o.allow_nothing = true;
    o.find_culprit = std::none_of(
        outcomes_.begin(), outcomes_.end(),
        [&](const CaseOutcome& other) { return other.check == check && !other.report.ok; });
    return o;
  }

  static GradcheckReport kernel_against_formula(const Setup& setup, double rtol) {
    const Tensors formula = values_and_gradients(setup, {.formula = true});
    const GradcheckReport once =
        compare(values_and_gradients(setup, {}), formula, rtol, "kernel against formula");
    return once.ok ? compare(values_and_gradients(setup, {.uses = 2}), formula, rtol,
                             "kernel, added for two uses, against formula")
                   : once;
  }

  static GradcheckReport digits(const Setup& setup) {
    Tensors u;
    for (const Tensor& y : setup.f(setup.leaves)) {
      if (is_floating(y.dtype()) && y.dtype() != f64) return {};  // f is coarser on purpose
      u.push_back(is_floating(y.dtype()) ? cotangent(y) : Tensor());
    }
    return keeps_digits(setup.f, setup.leaves, u);
  }

  static GradcheckReport layouts_of_g(const Setup& setup) {
    const auto given = [&](Tensor (*g)(const Tensor&)) {
      return values_and_gradients(setup, {.g = g});
    };
    const GradcheckReport report =
        compare(given(strided), given(nullptr), 1e-12, "g in strides against a contiguous g");
    return report.ok ? compare(given(expanded), given(ones_for), 1e-12,
                               "g of one element, expanded, against a contiguous g")
                     : report;
  }

  const Case& case_;
  const uint64_t seed_;
  const int64_t sample_;
  std::vector<CaseOutcome> outcomes_;
};

}  // namespace

std::vector<CaseOutcome> run_case(const Case& c, const CaseOptions& options) {
  Run run(c, options);
  if (c.kind == Case::Kind::points) {
    for (const DType dtype : {f64, f32}) run.at_points(dtype);
  } else if (c.kind == Case::Kind::large) {
    for (const InputLayout layout : {InputLayout::contiguous, InputLayout::transposed})
      run.large(layout);
  } else {
    for (const InputLayout layout : all_layouts) run.usual(layout);
  }
  return std::move(run).outcomes();
}

}  // namespace slope
