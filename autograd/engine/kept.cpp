#include <slope/autograd/engine/kept.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/recompute.h>
#include <slope/core/loops/copy.h>

namespace slope {

using Kind = SavedValue::Kind;

namespace {

// Whether x is the first output of the edge's node, unchanged, and the node's saved values exist.
bool is_alive(const Edge& edge, const Tensor& x) {
  return edge.node && edge.output == 0 && !edge.node->freed &&
         edge.node->outputs[0].version == x.storage()->version();
}

// How many operations recompute x, the output that `edge` points to; 0: it must be saved.
uint8_t recompute_steps(const Edge& edge, const Tensor& x) {
  return is_alive(edge, x) ? edge.node->recompute_steps : 0;
}

SavedValue keep(const Node& node, const Tensor& x, Kind kind, size_t i, bool may_round) {
  constexpr int64_t worthwhile = 1 << 14;  // elements
  SavedValue value = save(x, kind, i);
  if (!may_round || node.autocast != bf16 || x.dtype() != f32 || x.numel() < worthwhile)
    return value;
  value.storage = bf16_twin(x.storage());
  value.version = value.storage->version();
  value.dtype = bf16;
  value.rounded = true;
  return value;
}

}  // namespace

SavedValue keep_input(const Node& node, const Tensor& x, size_t i) {
  const Edge& edge = node.inputs[i];
  if (recompute_steps(edge, x) > 0) {
    SavedValue value = save(x, Kind::input, i);
    value.storage = Storage();
    return value;
  }
  // a leaf, or an output that its own node keeps in f32, stays in memory anyway
  const bool stays = !edge.node || (edge.node->op->saves.outputs && !edge.node->op->rounds.outputs);
  return keep(node, x, Kind::input, i, node.op->rounds.input(i) && !stays);
}

SavedValue keep_output(const Node& node, const Tensor& y, size_t i) {
  return keep(node, y, Kind::output, i, node.op->rounds.outputs);
}

uint8_t plan_recompute(const Op& op, const Edge& edge, const Tensor& x) {
  // The longest chain: recomputing recurses through it. Longer chains of cheap operations do not
  // occur in models.
  constexpr int most_steps = 4;
  if (!op.recompute || !Recompute::enabled() || !x.defined()) return 0;
  const uint8_t steps = recompute_steps(edge, x);
  const bool has_input =
      op.saves.input(0) || steps > 0 ||
      (edge.node && edge.node->op->saves.outputs && is_alive(edge, x));  // x's own node saves it
  return has_input && steps < most_steps ? static_cast<uint8_t>(steps + 1) : 0;
}

void widen(Node& node, const SavedValue& value) {
  const Storage from = value.storage;
  const Tensor all(from, Layout::contiguous({from->bytes() / size_of(bf16)}), bf16);
  const Storage to = contiguous_copy(all, f32).storage();
  for (SavedValue& v : node.saved)
    if (v.storage == from)
      v.storage = to, v.version = to->version(), v.dtype = f32, v.rounded = false;
}

Tensor recompute_output(Node& node, Pass* pass) {
  const Saved saved(node, nullptr, false, pass);
  for (const SavedValue& value : node.saved)
    if (value.kind == Kind::output) return saved.output();
  const NoGrad no_grad;
  const Tensor y = node.op->recompute(saved);
  const OutputInfo& info = node.outputs[0];
  SLOPE_CHECK_AS(AutogradError, y.shape() == info.shape && y.dtype() == info.dtype,
                 "{}: recomputed, its output is {} {}, not {} {}", node.op->name, name(y.dtype()),
                 y.shape(), name(info.dtype), info.shape);
  node.saved.push_back(save(y, Kind::output, 0));
  Observe::tell(&Observer::recomputed, node, node.saved.back());
  return y;
}

}  // namespace slope
