// The tape's side of Tensor: requires_grad, grad, detach, hooks.
#include <slope/autograd/node.h>

namespace slope {

bool Tensor::requires_grad() const {
  const AutogradMeta* meta = autograd_meta(*this);
  return meta && meta->requires_grad;
}

const Tensor& Tensor::set_requires_grad(bool requires_grad) const {
  SLOPE_CHECK_AS(
      AutogradError, is_leaf() || requires_grad,
      "set_requires_grad: this tensor was computed; detach() gives it without its history");
  SLOPE_CHECK_DTYPE(!requires_grad || is_floating(dtype()),
                    "set_requires_grad: only floating tensors have gradients, this one is {}",
                    name(dtype()));
  if (is_leaf() && (requires_grad || impl().meta))
    ensure_autograd_meta(*this).requires_grad = requires_grad;
  return *this;
}

bool Tensor::is_leaf() const { return !gradient_node(*this); }

Tensor Tensor::grad() const {
  const AutogradMeta* meta = autograd_meta(*this);
  return meta ? meta->grad : Tensor();
}

void Tensor::set_grad(const Tensor& grad) const {
  if (!grad.defined()) {
    if (impl().meta) autograd_meta(*this)->grad = grad;
    return;
  }
  SLOPE_CHECK_SHAPE(grad.shape() == shape(), "set_grad: the tensor has shape {}, the gradient {}",
                    shape(), grad.shape());
  SLOPE_CHECK_DTYPE(grad.dtype() == dtype(), "set_grad: the tensor is {}, the gradient {}",
                    name(dtype()), name(grad.dtype()));
  ensure_autograd_meta(*this).grad = grad;
}

Tensor Tensor::detach() const { return Tensor(storage(), layout(), dtype()); }

void Tensor::retain_grad() const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "retain_grad: this tensor needs no gradient");
  AutogradMeta& meta = *autograd_meta(*this);
  if (!meta.node || meta.retain_grad) return;
  if (!meta.node->hooks) meta.node->hooks = std::make_unique<NodeHooks>();
  meta.node->hooks->retain_grad.emplace_back(meta.output, &impl());
  meta.retain_grad = true;
}

void Tensor::register_hook(Hook hook) const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "register_hook: this tensor needs no gradient");
  AutogradMeta& meta = *autograd_meta(*this);
  if (!meta.node) return meta.leaf_hooks.push_back(std::move(hook));
  if (!meta.node->hooks) meta.node->hooks = std::make_unique<NodeHooks>();
  meta.node->hooks->hooks.emplace_back(meta.output, std::move(hook));
}

}  // namespace slope
