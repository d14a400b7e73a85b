// grad(): a pass that computes only what the gradients of the captured tensors need. A node is
// wanted if one of its inputs is captured or comes from a wanted node. One sweep in creation order
// finds all wanted nodes.
#include <slope/autograd/engine/pass.h>

#include <algorithm>
#include <ranges>

namespace slope {

bool Pass::wants(const Edge& x) const {
  if (!x || captured_.empty()) return static_cast<bool>(x);
  return captured_[slot_of(x)] || (x.node && wanted_[x.node->slot]);
}

void Pass::capture(const Tensors& inputs) {
  captured_.assign(sums_.size(), 0);
  wanted_.assign(sums_.size(), 0);
  for (const Tensor& x : inputs) captured_[slot_of(gradient_edge(x))] = 1;
  for (const Visit& visit : visits_ | std::views::reverse) {
    const Node& node = *visit.node;
    const auto first = captured_.begin() + node.slot,
               last = first + static_cast<ptrdiff_t>(node.outputs.size());
    if (is_within && std::find(first, last, 1) != last) continue;
    wanted_[node.slot] =
        std::ranges::any_of(node.inputs, [this](const Edge& x) { return wants(x); });
  }
}

Tensors Pass::gradients_of(const Tensors& outputs, const Tensors& gradients,
                           const Tensors& inputs) {
  begin(outputs, gradients, &inputs);
  while (next()) {
  }
  Tensors result;
  for (const Tensor& x : inputs) result.push_back(sum_of(gradient_edge(x)));
  return result;
}

Tensors grad(const Tensors& outputs, const Tensors& inputs, GradOptions options) {
  for (size_t i = 0; i < inputs.size(); ++i)
    SLOPE_CHECK_AS(AutogradError, inputs[i].requires_grad(),
                   "grad: input {} does not require a gradient", i);
  Pass pass({options.retain_graph, options.create_graph});
  const Tensors result = pass.gradients_of(outputs, options.grad_outputs, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    SLOPE_CHECK_AS(AutogradError, options.allow_unused || result[i].defined(),
                   "grad: the outputs do not depend on input {}; set allow_unused to get an "
                   "undefined gradient for it",
                   i);
  return result;
}

}  // namespace slope
