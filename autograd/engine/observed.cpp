// A rule under an observer. A kernel that adds to a sum hides what it adds, so the rule first runs
// with separate memory for each contribution. If it would have added, it runs once more into the
// sums, so that they get the same bits as without an observer.
#include <slope/autograd/engine/pass.h>
#include <slope/core/loops/copy.h>

namespace slope {

// A copy of the sum for observers that see contributions; otherwise undefined.
Tensor Pass::copy_to_show(const Tensor& sum) {
  return Observe::needs_contributions() && sum.defined() ? contiguous_copy(sum) : Tensor();
}

Grads Pass::observed_derivative(Node& node, std::span<const Tensor> gs) {
  writes_alone_ = Observe::needs_contributions();
  would_add_ = false;
  Grads alone = derivative(node, gs);
  writes_alone_ = false;
  if (!would_add_) return alone;

  Tensors before(alone.size());
  for (size_t i = 0; i < alone.size(); ++i)
    if (const Tensor* sum = alone[i].defined() ? find_sum(node.inputs[i]) : nullptr)
      before[i] = copy_to_show(*sum);
  Grads result = derivative(node, gs);
  for (size_t i = 0; i < alone.size(); ++i) {
    if (!alone[i].defined() || result[i].defined()) continue;  // deliver() tells of it
    Observe::tell(&Observer::returned, node, i, alone[i]);
    Observe::tell(&Observer::contributed, node, i, alone[i]);
    Observe::tell(&Observer::summed, node.inputs[i], before[i], *find_sum(node.inputs[i]));
  }
  return result;
}

}  // namespace slope
