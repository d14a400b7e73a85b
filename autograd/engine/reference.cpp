#include <slope/autograd/engine/pass.h>
#include <slope/autograd/engine/reference.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>

namespace slope {

Grads gradients_of(const Tensors& outputs, const Tensors& inputs, const Saved& s) {
  Tensors reached, gradients;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (s.grad(static_cast<int>(i)).defined() && outputs[i].requires_grad()) {
      reached.push_back(outputs[i]);
      gradients.push_back(s.grad(static_cast<int>(i)));
    }
  if (reached.empty()) return Grads(inputs.size());
  Pass pass({.create_graph = s.connected()});
  pass.is_within = true;
  const Tensors grads = pass.gradients_of(reached, gradients, inputs);
  return {grads.begin(), grads.end()};
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
