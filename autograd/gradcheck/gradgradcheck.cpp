// gradgradcheck: the gradient is a function of x and the cotangent u, which gradcheck checks.
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/culprit/smallest.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <optional>
#include <utility>

namespace slope {

namespace {

// x, u -> d<u, f(x)> / dx, on the tape. `first`: f's outputs at an earlier call, of which each call
// must have the shapes and dtypes; or none.
Tensors gradient_of(const TensorFunction& f, const Tensors& x, const Tensors& u,
                    const Tensors& first) {
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
  Tensors reached, weights;
  for (size_t k = 0; k < y.size(); ++k) {
    if (!y[k].requires_grad()) continue;
    reached.push_back(y[k]);
    weights.push_back(u[k]);
  }
  Tensors dx, result;
  if (!reached.empty())
    dx = grad(reached, wanted,
              {.grad_outputs = weights, .create_graph = true, .allow_unused = true});
  for (const Tensor& g : dx)
    if (g.defined()) result.push_back(g);
  SLOPE_CHECK_AS(UsageError, !result.empty(),
                 "gradgradcheck: no output depends on an input that requires a gradient");
  return result;
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
    Tensors dx = gradient_of(f, {xu.begin(), xu.begin() + n}, {xu.begin() + n, xu.end()}, first);
    if (!seen.written().empty()) throw Unfit(seen.written());
    return dx;
  };
  GradcheckOptions quiet = options;
  quiet.raise_exception = quiet.find_smallest = false;
  GradcheckReport report = gradcheck(gradient, all, quiet);
  report.check = "gradgradcheck";
  if (report.failed > 0 && options.find_culprit && options.find_smallest)
    report.smallest = smallest_failing(gradient, all, u.size(), options);
  SLOPE_CHECK_AS(AutogradError, report.ok || !options.raise_exception, "{}", report.text());
  return report;
}

}  // namespace slope
