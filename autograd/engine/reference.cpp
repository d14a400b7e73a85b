#include <slope/autograd/engine/pass.h>
#include <slope/autograd/engine/reference.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>

namespace slope {

Grads gradients_of(const Tensors& outputs, const Tensors& inputs, const Saved& s) {
  Tensors reached, grad_outputs, wanted;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (s.grad(static_cast<int>(i)).defined() && outputs[i].requires_grad()) {
      reached.push_back(outputs[i]);
      grad_outputs.push_back(s.grad(static_cast<int>(i)));
    }
  for (const Tensor& x : inputs)
    if (x.defined() && x.requires_grad()) wanted.push_back(x);
  const Tensors found = reached.empty() ? Tensors(wanted.size())
                                        : grad_within(reached, wanted,
                                                      {.grad_outputs = grad_outputs,
                                                       .retain_graph = s.connected(),
                                                       .create_graph = s.connected(),
                                                       .allow_unused = true});
  Grads grads;
  size_t next = 0;
  for (const Tensor& x : inputs)
    grads.push_back(x.defined() && x.requires_grad() ? found[next++] : Tensor());
  return grads;
}

Grads gradients_through_reference(const Op& op, const Saved& s) {
  SLOPE_CHECK_AS(AutogradError, op.reference, "{}: has neither a formula nor a reference", op.name);
  const EnableGrad enable_grad;
  const Saved detached = s.detached_inputs();
  Tensors inputs;
  for (int i = 0; i < s.inputs(); ++i) inputs.push_back(s.needs(i) ? detached.input(i) : Tensor());
  return gradients_of(op.reference(detached), inputs, s);
}

Saved Saved::detached_inputs() const {
  Saved result = *this;
  result.roots_.resize(node_.inputs.size());
  for (const SavedValue& value : node_.saved) {
    if (value.kind != SavedValue::Kind::input) continue;
    Tensor x = input(value.index);
    // If connected, x becomes a view of itself: two inputs may be the same tensor, or one computed
    // from the other, yet each must be its own root, wanted or not.
    if (connected_ ? x.requires_grad() : needs(value.index))
      x = connected_ ? expand(x, x.shape()) : x.detach().set_requires_grad();
    result.roots_[value.index] = x;
  }
  return result;
}

}  // namespace slope
