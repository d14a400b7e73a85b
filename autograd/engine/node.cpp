// How nodes are freed, without recursion, and how a tensor finds its node (meta.h).
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/printed_name.h>

#include <utility>

namespace slope {

// Freeing a node may release the last references to the nodes that made its inputs. Those wait in a
// list instead of being freed within this call, so that the call stack does not grow.
void Node::destroy(Node* node) {
  thread_local Node* waiting = nullptr;
  thread_local bool freeing = false;
  node->next_to_free = waiting;
  waiting = node;
  if (freeing) return;
  freeing = true;
  while (waiting) delete std::exchange(waiting, waiting->next_to_free);
  freeing = false;
}

void AutogradMeta::check_write() const {
  SLOPE_CHECK_AS(
      AutogradError, !grad_enabled() || !requires_grad,
      "write: this {} requires a gradient; write under a NoGrad guard, or to its detach()",
      node ? "tensor" : "leaf");
}

std::string AutogradMeta::text() const {
  if (!node) return requires_grad ? "requires_grad=True" : "";
  return "grad_fn=<" + printed_name(*node) + ">";
}

AutogradMeta* autograd_meta(const TensorImpl& x) {
  return static_cast<AutogradMeta*>(x.meta.get());
}
AutogradMeta* autograd_meta(const Tensor& x) { return autograd_meta(x.impl()); }

AutogradMeta& ensure_autograd_meta(const Tensor& x) {
  if (!x.impl().meta) x.impl().meta = std::make_unique<AutogradMeta>();
  return *autograd_meta(x);
}

GradSlot& ensure_grad_slot(const Tensor& x) {
  AutogradMeta& meta = ensure_autograd_meta(x);
  if (!meta.slot) meta.slot = Ref<GradSlot>(new GradSlot);
  if (meta.node) meta.node->outputs[meta.output].slot = meta.slot;
  return *meta.slot;
}

void connect(const Tensor& x, const Ref<Node>& node, uint32_t output) {
  AutogradMeta& meta = ensure_autograd_meta(x);
  meta.node = node;
  meta.output = output;
  meta.requires_grad = true;
}

Edge gradient_edge(const Tensor& x) {
  if (!x.defined()) return {};
  const AutogradMeta* meta = autograd_meta(x);
  if (!meta || !meta->requires_grad) return {};
  if (meta->node) return {meta->node, nullptr, meta->output};
  return {nullptr, Ref<TensorImpl>(&x.impl()), 0};
}

Ref<Node> gradient_node(const Tensor& x) {
  const AutogradMeta* meta = autograd_meta(x);
  return meta ? meta->node : Ref<Node>();
}

}  // namespace slope
