#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/node.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/random.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

// Cotangents without small elements, so that none hides a mistake: magnitude in [0.5, 1.5), random
// sign.
Tensor cotangent(const Dims& shape, DType dtype, uint64_t seed, uint32_t stream) {
  Tensor u = Tensor::empty(shape, dtype);
  const RandomSite site{.seed = seed, .site = stream};
  visit_floating(dtype, "gradcheck", [&]<class T> {
    const auto out = u.write<T>();
    for (int64_t i = 0; i < u.numel(); ++i) {
      const double v = uniform_f64(site, i);
      out[i] = static_cast<T>(v < 0.5 ? -0.5 - 2 * v : 2 * v - 0.5);
    }
  });
  return u;
}

double dot(const std::vector<double>& u, const Tensor& y) {
  const std::vector<double> values = y.detach().to_vector();
  double sum = 0;
  for (size_t i = 0; i < u.size(); ++i) sum += u[i] * values[i];
  return sum;
}

// One element of a leaf, set to other values temporarily.
class Nudge {
 public:
  Nudge(const Tensor& x, int64_t element) : x_(x), at_(0), value_(0) {
    for (int64_t d = x.rank() - 1; d >= 0; --d) {
      at_ += element % x.shape()[d] * x.strides()[d];
      element /= x.shape()[d];
    }
    visit_floating(x.dtype(), "gradcheck",
                   [&]<class T> { value_ = static_cast<double>(x.data<T>()[at_]); });
  }
  ~Nudge() { set(0); }
  void set(double step) const {
    const NoGrad no_grad;
    visit_floating(x_.dtype(), "gradcheck",
                   [&]<class T> { x_.write<T>()[at_] = static_cast<T>(value_ + step); });
  }

 private:
  Tensor x_;
  int64_t at_;
  double value_;
};

bool overlap(const Tensor& a, const Tensor& b) {
  if (!(a.storage() == b.storage()) || a.numel() == 0 || b.numel() == 0) return false;
  const auto [a0, a1] = a.layout().extent();
  const auto [b0, b1] = b.layout().extent();
  return a0 < b1 && b0 < a1;
}
bool overlaps_itself(const Tensor& x) {
  for (size_t d = 0; d < x.shape().size(); ++d)
    if (x.shape()[d] > 1 && x.strides()[d] == 0) return x.numel() > 0;
  return false;
}

class Check {
 public:
  Check(const std::function<Tensors()>& f, const NamedTensors& leaves,
        const GradcheckOptions& options)
      : f_(f), leaves_(leaves), options_(options) {}

  GradcheckReport run() {
    check_leaves();
    const Tensors outputs = f_();
    for (size_t k = 0; k < outputs.size(); ++k)
      cotangents_.push_back(is_floating(outputs[k].dtype())
                                ? cotangent(outputs[k].shape(), outputs[k].dtype(), options_.seed,
                                            static_cast<uint32_t>(k))
                                : Tensor());
    for (const Tensor& u : cotangents_)
      weights_.push_back(u.defined() ? u.to_vector() : std::vector<double>());
    for (const Tensor& y : outputs) {
      const Ref<Node> node = gradient_node(y);
      ops_.push_back(node ? node->op->name : "no op");
    }
    check_deterministic(outputs);
    if (std::none_of(outputs.begin(), outputs.end(),
                     [](const Tensor& y) { return is_floating(y.dtype()); }))
      report_.problems.push_back("no output has a floating dtype: there is nothing to check");
    for (size_t k = 0; k < outputs.size(); ++k)
      if (cotangents_[k].defined())
        analytic_.push_back(gradients(outputs[k], k));
      else
        analytic_.emplace_back();
    if (report_.problems.empty())
      for (size_t i = 0; i < leaves_.size(); ++i) check_leaf(i);
    if (report_.problems.empty() && report_.checked == 0 && !report_.notes.empty())
      report_.problems.push_back("no derivative could be checked");
    report_.ok = report_.problems.empty() && report_.failed == 0;
    return std::move(report_);
  }

 private:
  void check_leaves() {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const auto& [name, x] = leaves_[i];
      if (x.dtype() == f32)
        report_.notes.push_back(
            fmt::format("{} is float32: differences of {} are lost in rounding; use float64", name,
                        options_.eps));
      if (overlaps_itself(x))
        report_.problems.push_back(fmt::format(
            "{} overlaps itself in memory (stride 0): changing one element changes several; "
            "clone() it",
            name));
      for (size_t j = 0; j < i; ++j)
        if (overlap(x, leaves_[j].tensor))
          report_.problems.push_back(fmt::format(
              "{} and {} overlap in memory: changing one changes the other; clone() one",
              leaves_[j].name, name));
    }
  }

  // Two runs must give values and gradients with the same bits.
  void check_deterministic(const Tensors& outputs) {
    const Tensors again = f_();
    bool same = again.size() == outputs.size();
    for (size_t k = 0; same && k < outputs.size(); ++k)
      same = outputs[k].shape() == again[k].shape() && same_values(outputs[k], again[k]);
    if (!same)
      report_.problems.push_back(
          "the function is not deterministic: two runs on the same inputs gave different outputs "
          "(fix its random numbers)");
  }
  static bool same_values(const Tensor& a, const Tensor& b) {
    const std::vector<double> x = a.detach().to_vector(), y = b.detach().to_vector();
    for (size_t i = 0; i < x.size(); ++i)
      if (!(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))) return false;
    return true;
  }

  Tensors gradients(const Tensor& y, size_t k) {
    Tensors wanted, result;
    for (const NamedTensor& leaf : leaves_) wanted.push_back(leaf.tensor);
    if (y.requires_grad())
      result = grad({y}, wanted,
                    {.grad_outputs = {cotangents_[k]},
                     .retain_graph = true,
                     .create_graph = options_.formula,
                     .allow_unused = true});
    result.resize(wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      if (result[i].defined() && !(result[i].shape() == wanted[i].shape()))
        report_.problems.push_back(fmt::format("{}: its gradient has shape {}, it has {}",
                                               leaves_[i].name, result[i].shape(),
                                               wanted[i].shape()));
    return result;
  }

  std::vector<double> losses() {
    const NoGrad no_grad;
    const Tensors y = f_();
    std::vector<double> result;
    for (size_t k = 0; k < y.size(); ++k)
      result.push_back(cotangents_[k].defined() ? dot(weights_[k], y[k]) : 0);
    return result;
  }

  void check_leaf(size_t i) {
    const Tensor& x = leaves_[i].tensor;
    std::vector<std::vector<double>> analytic;
    for (const Tensors& grads : analytic_)
      analytic.push_back(!grads.empty() && grads[i].defined()
                             ? grads[i].detach().to_vector()
                             : std::vector<double>(static_cast<size_t>(x.numel()), 0.0));
    for (int64_t e = 0; e < x.numel(); ++e) {
      const Nudge nudge(x, e);
      const double eps = options_.eps;
      nudge.set(eps);
      const std::vector<double> above = losses();
      nudge.set(-eps);
      const std::vector<double> below = losses();
      for (size_t k = 0; k < analytic.size(); ++k) {
        if (!cotangents_[k].defined()) continue;
        const double numeric = (above[k] - below[k]) / (2 * eps),
                     a = analytic[k][static_cast<size_t>(e)];
        ++report_.checked;
        if (close(a, numeric)) continue;
        if (x.dtype() != f32 && on_kink(nudge, k)) {  // in f32 rounding looks like a kink
          --report_.checked;
          report_.notes.push_back(
              fmt::format("{}, element {}: output {} has a kink here (one-sided differences "
                          "disagree); not checked",
                          leaves_[i].name, e, k));
          continue;
        }
        ++report_.failed;
        if (static_cast<int64_t>(report_.failures.size()) < options_.most_failures)
          report_.failures.push_back({.op = ops_[k],
                                      .input = leaves_[i].name,
                                      .input_index = static_cast<int64_t>(i),
                                      .output_index = static_cast<int64_t>(k),
                                      .element = e,
                                      .analytic = a,
                                      .numeric = numeric});
      }
    }
  }

  bool close(double a, double b) const {
    return std::abs(a - b) <= options_.atol + options_.rtol * std::abs(b);
  }

  // For a smooth function the one-sided differences approach each other in proportion to the step;
  // at a kink their distance remains. If that distance may be rounding, nothing can be concluded.
  bool on_kink(const Nudge& nudge, size_t k) {
    double here = 0;
    const auto gap = [&](double step) {
      nudge.set(0);
      here = losses()[k];
      nudge.set(step);
      const double right = (losses()[k] - here) / step;
      nudge.set(-step);
      const double left = (here - losses()[k]) / step;
      return std::pair(std::abs(right - left), std::max(std::abs(right), std::abs(left)));
    };
    const auto [wide, scale] = gap(options_.eps * 8);
    const auto [narrow, unused] = gap(options_.eps);
    (void)unused;
    const double rounding =
        64 * std::numeric_limits<double>::epsilon() * std::abs(here) / options_.eps;
    return narrow > rounding && narrow > 10 * (options_.atol + options_.rtol * scale) &&
           narrow > 0.5 * wide;
  }

  const std::function<Tensors()>& f_;
  const NamedTensors& leaves_;
  const GradcheckOptions& options_;
  GradcheckReport report_;
  std::vector<std::string> ops_;              // for each output, its operation
  Tensors cotangents_;                        // one for each output
  std::vector<std::vector<double>> weights_;  // their values
  std::vector<Tensors> analytic_;             // [output][leaf]
};

// What the failures have in common, if anything: a shared factor is often the mistake itself.
std::string common_factor(const std::vector<GradcheckFailure>& failures) {
  if (failures.size() < 2) return "";
  const double first = failures[0].ratio();
  for (const GradcheckFailure& failure : failures)
    if (!(std::abs(failure.ratio() - first) <= 1e-4 * std::abs(first) + 1e-6)) return "";
  return std::isfinite(first) ? fmt::format("; every one is off by the same factor {:.6g}", first)
                              : "";
}

}  // namespace

std::string GradcheckReport::text() const {
  std::string text =
      ok ? fmt::format("ok: {} derivatives agree", checked)
         : fmt::format(
               "gradcheck failed: {} of {} derivatives disagree{}", failed, checked,
               failed == static_cast<int64_t>(failures.size()) ? common_factor(failures) : "");
  for (const std::string& problem : problems) text += "\n  " + problem;
  for (const GradcheckFailure& f : failures)
    text += fmt::format(
        "\n  output {} ({}), {}, element {}: analytic {:.9g}, numeric {:.9g}, ratio {:.6g}",
        f.output_index, f.op, f.input, f.element, f.analytic, f.numeric, f.ratio());
  if (failed > static_cast<int64_t>(failures.size()))
    text += fmt::format("\n  … and {} more", failed - static_cast<int64_t>(failures.size()));
  for (const std::string& note : notes) text += "\n  note: " + note;
  return text;
}

GradcheckReport gradcheck(const std::function<Tensors()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options) {
  NamedTensors checked;
  for (const NamedTensor& leaf : leaves)
    if (leaf.tensor.requires_grad()) checked.push_back(leaf);
  SLOPE_CHECK_AS(UsageError, !checked.empty(),
                 "gradcheck: none of the {} inputs requires a gradient: there is nothing to check",
                 leaves.size());
  GradcheckReport report = Check(f, checked, options).run();
  SLOPE_CHECK_AS(AutogradError, report.ok || !options.raise_exception, "{}", report.text());
  return report;
}

GradcheckReport gradcheck(const TensorFunction& f, const Tensors& inputs,
                          const GradcheckOptions& options) {
  NamedTensors leaves;
  for (size_t i = 0; i < inputs.size(); ++i)
    leaves.push_back({fmt::format("input {}", i), inputs[i]});
  const std::function<Tensors()> bound = [&] { return f(inputs); };
  return gradcheck(bound, leaves, options);
}

GradcheckReport gradgradcheck(const TensorFunction& f, const Tensors& inputs,
                              const Tensors& grad_outputs, const GradcheckOptions& options) {
  Tensors u = grad_outputs;
  if (u.empty()) {
    const Tensors y = f(inputs);
    for (size_t k = 0; k < y.size(); ++k)
      if (is_floating(y[k].dtype()))
        u.push_back(
            cotangent(y[k].shape(), y[k].dtype(), options.seed + 1, static_cast<uint32_t>(k))
                .set_requires_grad());
  }
  const size_t n = inputs.size();
  Tensors all = inputs;
  all.insert(all.end(), u.begin(), u.end());
  const TensorFunction gradient = [&f, n](const Tensors& xu) {
    const EnableGrad enable_grad;
    const Tensors x(xu.begin(), xu.begin() + static_cast<int64_t>(n)),
        flowing(xu.begin() + static_cast<int64_t>(n), xu.end());
    Tensors y, wanted;
    for (const Tensor& output : f(x))
      if (is_floating(output.dtype())) y.push_back(output);
    for (const Tensor& input : x)
      if (input.requires_grad()) wanted.push_back(input);
    Tensors reached, weights;
    for (size_t k = 0; k < y.size(); ++k)
      if (y[k].requires_grad()) reached.push_back(y[k]), weights.push_back(flowing[k]);
    Tensors dx;
    if (!reached.empty())
      dx = grad(reached, wanted,
                {.grad_outputs = weights, .create_graph = true, .allow_unused = true});
    Tensors result;
    for (const Tensor& g : dx)
      if (g.defined()) result.push_back(g);
    SLOPE_CHECK_AS(UsageError, !result.empty(),
                   "gradgradcheck: no output depends on an input that requires a gradient");
    return result;
  };
  return gradcheck(gradient, all, options);
}

}  // namespace slope
