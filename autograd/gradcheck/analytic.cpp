#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/analytic.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

namespace {

class Passes {
 public:
  Passes(const Tensor& y, const NamedTensors& leaves, bool formula) : y_(y), formula_(formula) {
    for (const NamedTensor& leaf : leaves) wanted_.push_back(leaf.tensor);
  }
  // Each pass gets its own copy of u, so that a rule that writes into it cannot affect the next.
  Tensors run(const Tensor& u) const {
    Tensors result;
    if (y_.requires_grad())
      result = grad({y_}, wanted_,
                    {.grad_outputs = {contiguous_copy(u)},
                     .retain_graph = true,
                     .create_graph = formula_,
                     .allow_unused = true});
    result.resize(wanted_.size());
    for (Tensor& g : result)
      if (g.defined()) g = contiguous_copy(g);
    return result;
  }
  Tensors run(const Tensor& u, Observer& observer) const {
    const Observe observe(observer);
    return run(u);
  }

 private:
  const Tensor& y_;
  bool formula_;
  Tensors wanted_;
};

// a u + v
Tensor combined(double a, const Tensor& u, const Tensor& v) {
  Tensor w = contiguous_copy(u);
  visit_floating(w.dtype(), "gradcheck", [&]<class T> {
    const auto out = w.write<T>();
    const T *x = u.data<T>(), *y = v.data<T>();
    for (int64_t i = 0; i < w.numel(); ++i) out[i] = static_cast<T>(a) * x[i] + y[i];
  });
  return w;
}

double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double v : values) found = std::max(found, std::abs(v));
  return found;
}

// Backward is a linear function G of the cotangent: G(a u + v) = a G(u) + G(v). Here a is large,
// so that a rule that clips gradients clips in G(a u + v) but not in G(u) and G(v). Returns a
// message if this does not hold.
std::string not_linear(const Passes& passes, const Tensor& u, const Tensors& of_u,
                       const NamedTensors& leaves, const AnalyticOptions& options) {
  const double a = 1024;
  const Tensor v = random_cotangent(u.shape(), u.dtype(), options.seed + 77, 0);
  const Tensors of_v = passes.run(v), of_both = passes.run(combined(a, u, v));
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!of_u[i].defined() || !of_v[i].defined() || !of_both[i].defined()) continue;
    const std::vector<double> gu = of_u[i].to_vector(), gv = of_v[i].to_vector(),
                              both = of_both[i].to_vector();
    const double allowed = a * options.tolerance.of(largest(gu) + largest(gv));
    for (size_t e = 0; e < both.size(); ++e)
      if (const double sum = a * gu[e] + gv[e]; std::abs(both[e] - sum) > allowed)
        return fmt::format(
            "backward is {}: {}, element {} is {:.9g} for 1024 u + v, but {:.9g} from u and v "
            "separately; "
            "a rule multiplies g, it must not clip, round or square it",
            not_linear_text, leaves[i].name, e, both[e], sum);
  }
  return "";
}

}  // namespace

Analytic gradients_of(const Tensor& y, const Tensor& u, const NamedTensors& leaves,
                      const AnalyticOptions& options) {
  const Passes passes(y, leaves, options.formula);
  WatchBackward before, after;
  // Four passes: watched, plain, plain, watched. The plain ones are compared with each other, and
  // so are the watched ones: a rule that changes once, or at every second call, shows in one
  // of the pairs.
  const Tensors watched = passes.run(u, before);
  Analytic result{passes.run(u), {}};
  const Tensors again = passes.run(u), watched_again = passes.run(u, after);

  for (size_t i = 0; i < leaves.size(); ++i) {
    auto at = first_difference(result.gradients[i], again[i]);
    if (!at) at = first_difference(watched[i], watched_again[i]);
    if (!at) continue;
    const std::string op = before.first_change(after);
    result.problems.push_back(fmt::format(
        "backward is not repeatable: {}, element {} was {:.9g} in one pass and {:.9g} in another "
        "over the same graph{}; a rule must keep no state between calls",
        leaves[i].name, at->element, at->a, at->b, op.empty() ? "" : ", first in " + op));
    break;
  }
  result.can_be_compared = result.problems.empty();
  if (!before.written().empty()) {
    result.problems.push_back(before.written());
    result.can_be_compared &= !before.returns_what_it_wrote();
    result.gradients = watched;
  }
  if (result.problems.empty())
    if (std::string found = not_linear(passes, u, result.gradients, leaves, options);
        !found.empty()) {
      result.problems.push_back(std::move(found));
      result.can_be_compared = false;
    }
  return result;
}

}  // namespace slope
