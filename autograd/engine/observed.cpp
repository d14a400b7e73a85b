// How a rule runs under an observer that sees contributions. A kernel that adds to a sum hides what
// it adds, so the rule first runs with new memory for each contribution. Where a kernel would have
// added, it runs once more and adds that contribution, which gives the same bits as without an
// observer.
#include <slope/autograd/engine/pass.h>
#include <slope/core/loops/copy.h>

namespace slope {

Grads Pass::observed_derivative(Node& node, std::span<const Tensor> gs) {
  would_add_.clear();
  reuses_ = none;
  Grads dx = derivative(node, gs);
  for (const size_t i : std::vector(would_add_)) {  // a copy: each run appends to it
    Observe::tell(&Observer::returned, node, i, dx[i]);
    Observe::tell(&Observer::contributed, node, i, dx[i]);
    const Tensor &sum = sum_of(node.inputs[i]), before = contiguous_copy(sum);
    reuses_ = i;
    const Grads rest = derivative(node, gs);
    SLOPE_CHECK_AS(AutogradError, !rest[i].defined(),
                   "{}: an observer keeps a gradient of the pass; clone() it", node.op->name);
    Observe::tell(&Observer::summed, node.inputs[i], before, sum);
    dx[i] = Tensor();
  }
  reuses_ = all;
  return dx;
}

}  // namespace slope
