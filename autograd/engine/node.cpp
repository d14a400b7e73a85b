// How nodes are freed, without recursion; what autograd stores with a tensor (meta.h), and the
// methods of Tensor that read and set it.
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/printed_name.h>
#include <slope/core/memory/fork.h>

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

static GradLockHolders holders;
[[maybe_unused]] static const bool gradients_are_held =
    hold_over_fork(ForkOrder::gradients, holders);

static AutogradMeta& ensure_autograd_meta(const Tensor& x) {
  if (!x.impl().meta) x.impl().meta = std::make_unique<AutogradMeta>();
  return *autograd_meta(x);
}

GradSlot& ensure_grad_slot(const Tensor& x) {
  AutogradMeta& meta = ensure_autograd_meta(x);
  if (GradSlot* slot = meta.slot.get()) return *slot;
  Ref<GradSlot> slot(new GradSlot);
  // several tensors may be one output of a node: they have its slot
  if (meta.node) slot = Ref<GradSlot>(meta.node->outputs[meta.output].slot.set(slot));
  return *meta.slot.set(slot);
}

void connect(const Tensor& x, const Ref<Node>& node, uint32_t output) {
  AutogradMeta& meta = ensure_autograd_meta(x);
  meta.node = node;
  meta.output = output;
  meta.requires_grad = true;
  if (GradSlot* slot = meta.slot.get())  // of a gradient that was set before
    (void)node->outputs[output].slot.set(Ref<GradSlot>(slot));
}

Edge gradient_edge(const Tensor& x) {
  const AutogradMeta* meta = x.defined() ? autograd_meta(x) : nullptr;
  if (!meta || !meta->requires_grad) return {};
  if (meta->node) return {meta->node, nullptr, meta->output};
  return {nullptr, Ref<TensorImpl>(&x.impl()), 0};
}

Ref<Node> gradient_node(const Tensor& x) {
  const AutogradMeta* meta = autograd_meta(x);
  return meta ? meta->node : Ref<Node>();
}

// ---- Tensor

bool Tensor::requires_grad() const {
  const AutogradMeta* meta = autograd_meta(*this);
  return meta && meta->requires_grad;
}

const Tensor& Tensor::set_requires_grad(bool requires_grad) const {
  SLOPE_CHECK_AS(
      AutogradError, is_leaf() || requires_grad,
      "set_requires_grad: this tensor was computed; detach() gives it without its graph");
  SLOPE_CHECK_DTYPE(
      !requires_grad || is_computed_in(dtype()),
      "set_requires_grad: only {} have gradients, this one is {}",
      is_floating(dtype()) ? "leaves of float32 or float64" : "floating-point tensors",
      name(dtype()));
  if (!is_leaf() || !(requires_grad || impl().meta)) return *this;
  ensure_grad_slot(*this);
  autograd_meta(*this)->requires_grad = requires_grad;
  return *this;
}

bool Tensor::is_leaf() const { return !gradient_node(*this); }

Tensor Tensor::grad() const {
  const AutogradMeta* meta = autograd_meta(*this);
  return meta && meta->slot ? meta->slot->read() : Tensor();
}

void Tensor::set_grad(const Tensor& grad) const {
  if (!grad.defined() && !impl().meta) return;
  if (grad.defined()) {
    SLOPE_CHECK_SHAPE(grad.shape() == shape(), "set_grad: the tensor has shape {}, the gradient {}",
                      shape(), grad.shape());
    SLOPE_CHECK_DTYPE(grad.dtype() == dtype(), "set_grad: the tensor is {}, the gradient {}",
                      name(dtype()), name(grad.dtype()));
  }
  ensure_grad_slot(*this).replace(grad);
}

Tensor Tensor::detach() const { return Tensor(storage(), layout(), dtype()); }

}  // namespace slope
