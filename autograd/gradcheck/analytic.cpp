#include <slope/autograd/gradcheck/analytic.h>
#include <slope/autograd/gradcheck/linearity.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/parts.h>
#include <slope/autograd/gradcheck/repeatable.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <algorithm>

namespace slope {

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

  const std::string op = before.first_change(after);
  std::string changed = not_repeatable(result.gradients, again, leaves, op);
  if (changed.empty()) changed = not_repeatable(watched, watched_again, leaves, op);
  if (!changed.empty()) result.problems.push_back(changed);
  result.can_be_compared = result.problems.empty();
  for (const WatchBackward* pass : {&before, &after}) {  // a rule may write from a later call on
    if (pass->written().empty()) continue;
    result.problems.push_back(pass->written());
    result.can_be_compared &= !pass->returns_what_it_wrote();
    result.gradients = watched;
    break;
  }
  if (result.problems.empty()) {
    Tolerance tolerance = options.tolerance;
    // the error of a rule that sums rounded products, relative to its largest gradient
    if (before.has_bf16()) tolerance.rtol = std::max(tolerance.rtol, 8 * bf16_rounding);
    std::string found = linearity_problem(passes, u, result.gradients, leaves,
                                          {tolerance, before.has_bf16(), before.factors()});
    if (found.empty())
      found = alone_problem(passes, u, result.gradients, leaves, {tolerance, before.has_bf16()});
    WatchBackward end;
    const Tensors at_the_end = passes.run(u, end);
    changed = not_repeatable(watched, at_the_end, leaves, before.first_change(end));
    if (!changed.empty()) found = changed;  // it looks as if backward were not linear
    result.can_be_compared =                // u lies in a row, all leaves are asked for
        found.empty() || found.starts_with(layout_text) || found.starts_with(parts_text);
    if (!found.empty()) result.problems.push_back(std::move(found));
  }
  return result;
}

}  // namespace slope
