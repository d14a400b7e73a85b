#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/parts.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

using Values = std::vector<double>;

Values values_of(const Tensor& g, size_t n) { return g.defined() ? g.to_vector() : Values(n); }

// The first element of x that differs from that of y by more than the tolerance of the largest
// `size`; x.size() if there is none. Elements that are not finite in y are not compared.
size_t first_other(const Values& x, const Values& y, const Values& size,
                   const Tolerance& tolerance) {
  double largest = 0;
  for (const double v : size) largest = std::max(largest, std::abs(v));
  size_t e = 0;
  while (e < x.size() && (std::abs(x[e] - y[e]) <= tolerance.of(largest) || !std::isfinite(y[e])))
    ++e;
  return e;
}

}  // namespace

std::string alone_problem(const Passes& passes, const Tensor& u, const Tensors& of_u,
                          const NamedTensors& leaves, const Tolerance& tolerance) {
  if (leaves.size() < 2) return "";
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto n = static_cast<size_t>(leaves[i].tensor.numel());
    const Tensor alone = passes.run_for(i, u);
    const Values x = values_of(alone, n), y = values_of(of_u[i], n);
    const size_t e = first_other(x, y, y, tolerance);
    if (e == n) continue;
    std::string found = not_repeatable({alone}, {passes.run_for(i, u)}, {leaves[i]}, "");
    if (!found.empty()) return found;
    return fmt::format(
        "{}: {}, element {} is {:.9g} if the gradients of all leaves are wanted, but {:.9g} if it "
        "alone is; look at what the rule does where needs() is false",
        parts_text, leaves[i].name, e, y[e], x[e]);
  }
  return "";
}

std::string together_problem(const Forward& forward, const NamedTensors& leaves,
                             const std::vector<Tensors>& gradients, const PartsOptions& options) {
  Tensors outputs, cotangents, wanted;
  for (size_t k = 0; k < forward.outputs().size(); ++k) {
    if (!forward.is_checked(k) || !forward.outputs()[k].requires_grad()) continue;
    outputs.push_back(forward.outputs()[k]);
    cotangents.push_back(contiguous_copy(forward.cotangent(k)));
  }
  if (outputs.size() < 2) return "";
  for (const NamedTensor& leaf : leaves) wanted.push_back(leaf.tensor);
  WatchBackward seen;
  Tensors together;
  {
    const Observe observe(seen);
    together = grad(outputs, wanted,
                    {.grad_outputs = cotangents,
                     .retain_graph = true,
                     .create_graph = options.formula,
                     .allow_unused = true});
  }
  Tolerance tolerance = options.tolerance;
  if (seen.has_bf16()) tolerance.rtol = std::max(tolerance.rtol, 8 * bf16_rounding);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto n = static_cast<size_t>(leaves[i].tensor.numel());
    Values sum(n), size(n);
    for (const Tensor& g : gradients[i]) {
      const Values of_one = values_of(g, n);
      for (size_t e = 0; e < n; ++e) sum[e] += of_one[e], size[e] += std::abs(of_one[e]);
    }
    const Values x = values_of(together[i], n);
    if (const size_t e = first_other(x, sum, size, tolerance); e < n)
      return fmt::format(
          "{}: {}, element {} is {:.9g} in one pass through all outputs, but {:.9g} is the sum of "
          "a pass through each; a rule uses the gradients of all outputs, of which some may be "
          "undefined",
          parts_text, leaves[i].name, e, x[e], sum[e]);
  }
  return "";
}

}  // namespace slope
