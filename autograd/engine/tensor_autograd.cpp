// Autograd's side of Tensor: requires_grad, grad, detach.
#include <slope/autograd/engine/meta.h>

namespace slope {

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
