#include <slope/autograd/engine/recompute.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/recompute.h>

#include <algorithm>

namespace slope {

namespace {

// The longest chain of operations that are recomputed: recomputing recurses through them. Longer
// chains of cheap operations do not occur in models.
constexpr int most_steps = 4;

// Whether x is the first output of the edge's node, unchanged, and the node's saved values exist.
bool is_alive(const Edge& edge, const Tensor& x) {
  return edge.node && edge.output == 0 && !edge.node->freed &&
         edge.node->outputs[0].version == x.storage()->version();
}

}  // namespace

uint8_t recompute_steps(const Edge& edge, const Tensor& x) {
  return is_alive(edge, x) ? edge.node->recompute_steps : 0;
}

uint8_t plan_recompute(const Op& op, const Edge& edge, const Tensor& x) {
  if (!op.recompute || !Recompute::enabled() || !x.defined()) return 0;
  const uint8_t steps = recompute_steps(edge, x);
  const bool has_input =
      op.saves.input(0) || steps > 0 ||
      (edge.node && edge.node->op->saves.outputs && is_alive(edge, x));  // x's own node saves it
  return has_input && steps < most_steps ? static_cast<uint8_t>(steps + 1) : 0;
}

Tensor recompute_output(Node& node, Pass* pass) {
  const Saved saved(node, nullptr, false, pass);
  for (const SavedValue& value : node.saved)
    if (value.kind == SavedValue::Kind::output) return saved.output();
  const NoGrad no_grad;
  const Tensor y = node.op->recompute(saved);
  const OutputInfo& info = node.outputs[0];
  SLOPE_CHECK_AS(AutogradError, y.shape() == info.shape && y.dtype() == info.dtype,
                 "{}: recomputed, its output is {} {}, not {} {}", node.op->name, name(y.dtype()),
                 y.shape(), name(info.dtype), info.shape);
  node.saved.push_back(save(y, SavedValue::Kind::output, 0));
  Observe::tell(&Observer::recomputed, node, node.saved.back());
  return y;
}

}  // namespace slope
