#include <slope/autograd/gradcheck/gradients.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/autograd/gradcheck/parts.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/core/memory/scarce.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace slope {

namespace {

// Calls the function where the elements of each leaf are a little larger and in reverse order. It
// may not be defined there: only that it was called matters.
void call_elsewhere(const Forward& forward, const NamedTensors& leaves) {
  std::deque<Poke> pokes;
  for (const NamedTensor& leaf : leaves) {
    std::vector<double> moved = leaf.tensor.detach().to_vector();
    for (double& x : moved) x += 1e-6 + 0x1p-12 * std::abs(x);
    std::reverse(moved.begin(), moved.end());
    pokes.emplace_back(leaf.tensor, moved);
  }
  try {
    (void)forward.losses();
  } catch (const std::exception&) {
    rethrow_if_scarce();
  }
}

// A message if backward now gives another gradient.
std::string change(const Forward& forward, const NamedTensors& leaves, const Gradients& all,
                   bool formula) {
  for (size_t k = 0; k < forward.outputs().size(); ++k) {
    if (!forward.is_checked(k)) continue;
    Tensors of_k;
    for (const Tensors& of_leaf : all.of) of_k.push_back(of_leaf[k]);
    const Tensors again = Passes(forward.outputs()[k], leaves, formula).run(forward.cotangent(k));
    if (std::string found = not_repeatable(of_k, again, leaves, ""); !found.empty()) return found;
  }
  return "";
}

}  // namespace

Gradients all_gradients(const Forward& forward, const NamedTensors& leaves,
                        const AnalyticOptions& options) {
  const Tensors& y = forward.outputs();
  Gradients all{.of = std::vector<Tensors>(leaves.size(), Tensors(y.size()))};
  for (size_t k = 0; k < y.size(); ++k) {
    if (!forward.is_checked(k)) continue;
    const Analytic found = gradients_of(y[k], forward.cotangent(k), leaves, options);
    for (size_t i = 0; i < leaves.size(); ++i) all.of[i][k] = found.gradients[i];
    all.problems.insert(all.problems.end(), found.problems.begin(), found.problems.end());
    all.can_be_compared &= found.can_be_compared;
  }
  if (!all.problems.empty()) return all;
  if (std::string found =
          together_problem(forward, leaves, all.of, {options.formula, options.tolerance});
      !found.empty())
    all.problems.push_back(std::move(found));
  std::string changed = change(forward, leaves, all, options.formula);
  if (changed.empty()) {
    call_elsewhere(forward, leaves);
    changed = change(forward, leaves, all, options.formula);
    if (!changed.empty())
      changed += "; between the two the function ran with other inputs: save what a rule needs";
  }
  all.can_be_compared &= changed.empty();
  if (!changed.empty()) all.problems.push_back(std::move(changed));
  return all;
}

}  // namespace slope
