#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/parts.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/autograd/gradcheck/rounding.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

using Values = std::vector<double>;

Values values_of(const Tensor& g, size_t n) { return g.defined() ? g.to_vector() : Values(n); }

double largest(const Values& values) {
  double found = 0;
  for (const double v : values)
    if (std::isfinite(v)) found = std::max(found, std::abs(v));
  return found;
}

// The first element of x that differs from that of y by more than `allowed`; x.size() if there is
// none. Elements that are not finite in y are not compared.
size_t first_other(const Values& x, const Values& y, double allowed) {
  size_t e = 0;
  while (e < x.size() && (std::abs(x[e] - y[e]) <= allowed || !std::isfinite(y[e]))) ++e;
  return e;
}

// All checked outputs that are on the tape, with their cotangents.
struct Outputs {
  Tensors y, u, wanted;
  bool formula;

  Outputs(const Forward& forward, const NamedTensors& leaves, bool formula) : formula(formula) {
    for (size_t k = 0; k < forward.outputs().size(); ++k) {
      if (!forward.is_checked(k) || !forward.outputs()[k].requires_grad()) continue;
      y.push_back(forward.outputs()[k]);
      u.push_back(forward.cotangent(k));
    }
    for (const NamedTensor& leaf : leaves) wanted.push_back(leaf.tensor);
  }

  // The gradients of all in one pass, for c times the cotangents.
  Tensors together(double c) const {
    Tensors cu;
    for (const Tensor& each : u) cu.push_back(scaled(c, each));
    return grad(
        y, wanted,
        {.grad_outputs = cu, .retain_graph = true, .create_graph = formula, .allow_unused = true});
  }
  // By how much rounding changes them, and the sum of those of a pass through each.
  std::vector<double> rounding(const NamedTensors& leaves, bool rounds_to_bf16) const {
    std::vector<double> all = rounding_of([&](double c) { return together(c); }, rounds_to_bf16);
    for (size_t k = 0; k < y.size(); ++k) {
      const Passes passes(y[k], leaves, formula);
      const std::vector<double> one =
          rounding_of([&](double c) { return passes.run(scaled(c, u[k])); }, rounds_to_bf16);
      for (size_t i = 0; i < all.size(); ++i) all[i] += one[i];
    }
    return all;
  }
};

}  // namespace

std::string alone_problem(const Passes& passes, const Tensor& u, const Tensors& of_u,
                          const NamedTensors& leaves, const AloneOptions& options) {
  if (leaves.size() < 2) return "";
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto n = static_cast<size_t>(leaves[i].tensor.numel());
    const Tensor alone = passes.run_for(i, u);
    const Values x = values_of(alone, n), y = values_of(of_u[i], n);
    double allowed = options.tolerance.of(largest(y));
    if (first_other(x, y, allowed) == n) continue;
    std::string found = not_repeatable({alone}, {passes.run_for(i, u)}, {leaves[i]}, "");
    if (!found.empty()) return found;
    const auto both = [&](double c) {
      const Tensor cu = scaled(c, u);
      return Tensors{passes.run_for(i, cu), passes.run(cu)[i]};
    };
    for (const double rounding : rounding_of(both, options.rounds_to_bf16)) allowed += rounding;
    const size_t e = first_other(x, y, allowed);
    if (e == n) continue;
    return fmt::format(
        "{}: {}, element {} is {:.9g} if the gradients of all leaves are wanted, but {:.9g} if it "
        "alone is; look at what the rule does where needs() is false",
        parts_text, leaves[i].name, e, y[e], x[e]);
  }
  return "";
}

std::string together_problem(const Forward& forward, const NamedTensors& leaves,
                             const std::vector<Tensors>& gradients,
                             const TogetherOptions& options) {
  const Outputs outputs(forward, leaves, options.formula);
  if (outputs.y.size() < 2) return "";
  WatchBackward seen;
  Tensors together;
  {
    const Observe observe(seen);
    together = outputs.together(1);
  }
  Tolerance tolerance = options.tolerance;
  if (seen.has_bf16()) tolerance.rtol = std::max(tolerance.rtol, 8 * bf16_rounding);
  std::vector<double> rounding;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto n = static_cast<size_t>(leaves[i].tensor.numel());
    Values sum(n), size(n);
    for (const Tensor& g : gradients[i]) {
      const Values of_one = values_of(g, n);
      for (size_t e = 0; e < n; ++e) sum[e] += of_one[e], size[e] += std::abs(of_one[e]);
    }
    const Values x = values_of(together[i], n);
    const double allowed = tolerance.of(largest(size));
    if (first_other(x, sum, allowed) == n) continue;
    if (std::string found = not_repeatable(together, outputs.together(1), leaves, "");
        !found.empty())
      return found;
    if (rounding.empty()) rounding = outputs.rounding(leaves, seen.has_bf16());
    if (const size_t e = first_other(x, sum, allowed + rounding[i]); e < n)
      return fmt::format(
          "{}: {}, element {} is {:.9g} in one pass through all outputs, but {:.9g} is the sum of "
          "a pass through each; a rule uses the gradients of all outputs, of which some may be "
          "undefined",
          parts_text, leaves[i].name, e, x[e], sum[e]);
  }
  return "";
}

}  // namespace slope
