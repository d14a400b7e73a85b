// Gradients through a function that is run again and recorded: the composite form of a fused
// operation, or the function given to checkpoint().
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>

namespace slope {

Grads Saved::through_reference() const {
  const Op& op = *node_.op;
  SLOPE_CHECK_AS(AutogradError, op.reference, "{}: has neither a formula nor a reference", op.name);
  const EnableGrad enable_grad;
  const Saved detached = detached_inputs();
  Tensors roots;
  for (int i = 0; i < inputs(); ++i) roots.push_back(needs(i) ? detached.input(i) : Tensor());
  return gradients_of(op.reference(detached), roots);
}

Grads Saved::gradients_of(const Tensors& outputs, const Tensors& inputs) const {
  Tensors reached, gradients;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (grads_[i].defined() && outputs[i].requires_grad()) {
      reached.push_back(outputs[i]);
      gradients.push_back(grads_[i]);
    }
  if (reached.empty()) return Grads(inputs.size());
  Pass pass({.create_graph = connected_});
  pass.is_within = true;
  const Tensors grads = pass.gradients_of(reached, gradients, inputs);
  return {grads.begin(), grads.end()};
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
