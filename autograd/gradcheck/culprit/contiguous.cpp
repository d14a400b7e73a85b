#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/culprit/contiguous.h>
#include <slope/autograd/node.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

Tensors contributions_if_contiguous(const Call& call, const Tensors& grad_outputs, bool formula) {
  const auto has = [&](auto&& is) {
    return std::any_of(call.inputs.begin(), call.inputs.end(),
                       [&](const Tensor& x) { return x.defined() && is(x); });
  };
  if (!has([](const Tensor& x) { return !x.is_contiguous(); }) ||
      has([](const Tensor& x) { return x.dtype() == bf16 && x.requires_grad(); }))
    return {};
  Tensors inputs, outputs, extras, wanted, reached, gradients;
  for (const Tensor& x : call.inputs) {
    inputs.push_back(x.defined() ? contiguous_copy(x.detach()) : x);
    if (x.defined() && x.requires_grad()) wanted.push_back(inputs.back().set_requires_grad());
  }
  for (const Tensor& y : call.outputs) outputs.push_back(contiguous_copy(y.detach()));
  for (const SavedValue& v : call.node->saved)
    if (v.kind == SavedValue::Kind::extra) {
      extras.resize(std::max<size_t>(extras.size(), v.index + size_t{1}));  // some may be undefined
      extras[v.index] = Tensor(v.storage, v.layout, v.dtype);
    }
  const EnableGrad enable_grad;
  const Tensors made = call.op->record(outputs, inputs, call.node->attributes, extras);
  for (size_t k = 0; k < made.size(); ++k)
    if (grad_outputs[k].defined()) {
      reached.push_back(made[k]);
      gradients.push_back(contiguous_copy(grad_outputs[k]));  // a rule may write into it
    }
  const Tensors found = grad(
      reached, wanted, {.grad_outputs = gradients, .create_graph = formula, .allow_unused = true});
  Tensors result(inputs.size());
  for (size_t i = 0, next = 0; i < inputs.size(); ++i)
    if (call.inputs[i].defined() && call.inputs[i].requires_grad()) result[i] = found[next++];
  return result;
}

}  // namespace slope
