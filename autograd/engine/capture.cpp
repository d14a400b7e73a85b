// grad(): a pass that computes only what the gradients of the captured tensors need. A node is
// wanted if one of its inputs is captured or comes from a wanted node. One sweep in creation order
// finds all wanted nodes.
#include <slope/autograd/engine/pass.h>

#include <algorithm>

namespace slope {

void Pass::capture(const Tensors& inputs) {
  captures_ = true;
  wanted_.assign(sums_.size(), 0);
  captured_.assign(sums_.size(), 0);
  for (const Tensor& x : inputs) {
    const Edge edge = gradient_edge(x);
    if (edge.leaf) captured_leaves_.insert(edge.leaf.get());
    if (edge.node && edge.node->pass.load() == this) captured_[edge.node->slot + edge.output] = 1;
  }
  for (const Visit& visit : visits_) {
    const Node& node = *visit.node;
    const auto first = captured_.begin() + node.slot,
               last = first + static_cast<ptrdiff_t>(node.outputs.size());
    if (is_within && std::find(first, last, 1) != last) continue;
    wanted_[node.slot] =
        std::ranges::any_of(node.inputs, [this](const Edge& edge) { return wants(edge); });
  }
}

bool Pass::wants(const Edge& edge) const {
  if (!edge || !captures_) return static_cast<bool>(edge);
  if (edge.leaf) return captured_leaves_.contains(edge.leaf.get());
  return captured_[edge.node->slot + edge.output] || wanted_[edge.node->slot];
}

Tensor Pass::gradient_of(const Tensor& x) const {
  const Edge edge = gradient_edge(x);
  if (edge.node && edge.node->pass.load() != this) return {};
  const Tensor* sum = find_sum(edge);
  return sum ? *sum : Tensor();
}

static Tensors run_for(Pass& pass, const Tensors& outputs, const Tensors& inputs,
                       const GradOptions& options) {
  for (size_t i = 0; i < inputs.size(); ++i)
    SLOPE_CHECK_AS(AutogradError, inputs[i].requires_grad(),
                   "grad: input {} does not require a gradient", i);
  pass.collect(outputs, options.grad_outputs);
  pass.capture(inputs);
  pass.run();
  Tensors result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(pass.gradient_of(inputs[i]));
    SLOPE_CHECK_AS(AutogradError, options.allow_unused || result.back().defined(),
                   "grad: the outputs do not depend on input {}; set allow_unused to get an "
                   "undefined gradient for it",
                   i);
  }
  return result;
}

Tensors grad(const Tensors& outputs, const Tensors& inputs, GradOptions options) {
  Pass pass({options.retain_graph, options.create_graph});
  return run_for(pass, outputs, inputs, options);
}
Tensors grad_within(const Tensors& outputs, const Tensors& inputs, const GradOptions& options) {
  Pass pass({options.retain_graph, options.create_graph});
  pass.is_within = true;
  return run_for(pass, outputs, inputs, options);
}

}  // namespace slope
