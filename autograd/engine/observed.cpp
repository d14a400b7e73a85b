// How a rule runs under an observer. A kernel that adds to a sum hides what it adds, so the rule
// first runs with separate memory for each contribution. If it would have added, it runs once more
// into the sums, so that they get the same bits as without an observer.
#include <slope/autograd/engine/pass.h>
#include <slope/core/loops/copy.h>

namespace slope {

// A copy of the sum for observers that see contributions; otherwise undefined.
Tensor Pass::copy_to_show(const Tensor& sum) {
  return Observe::needs_contributions() && sum.defined() ? contiguous_copy(sum) : Tensor();
}

Grads Pass::observed_derivative(Node& node, std::span<const Tensor> gs) {
  targets_are_new_ = Observe::needs_contributions();
  would_add_ = false;
  Grads alone = derivative(node, gs);
  targets_are_new_ = false;
  if (!would_add_) return alone;

  // The sums to which the kernel will add, and copies of what they hold before it does.
  std::vector<const Tensor*> sums(alone.size());
  Tensors before(alone.size());
  for (size_t i = 0; i < alone.size(); ++i)
    if (alone[i].defined()) before[i] = copy_to_show(*(sums[i] = &sum_of(node.inputs[i])));
  Grads result = derivative(node, gs);
  for (size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i].defined() || result[i].defined()) continue;  // no gradient, or told by deliver()
    Observe::tell(&Observer::returned, node, i, alone[i]);
    Observe::tell(&Observer::contributed, node, i, alone[i]);
    Tensor after = *sums[i];
    for (size_t j = i + 1; j < alone.size(); ++j)  // linear(x, x): the sum between the additions
      if (sums[j] == sums[i] && !result[j].defined()) {
        after = before[j] = contiguous_copy(before[i]);
        add_into(alone[i], after);
        break;
      }
    Observe::tell(&Observer::summed, node.inputs[i], before[i], after);
  }
  return result;
}

}  // namespace slope
