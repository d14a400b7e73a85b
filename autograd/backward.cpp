// Reverse mode: the derivatives of L. Every operation y = f(x1, x2, …) was recorded as a node.
//
//   dL/dL = 1
//   for each node, from the last recorded to the first:
//     for each of its inputs:   dL/dx += dL/dy dy/dx        the node's rule
//   for each leaf:              x.grad += dL/dx
//
// Whatever uses y was recorded after y, so dL/dy is complete when its node's turn comes.
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/engine/reference.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/product/autocast.h>

#include <algorithm>

namespace slope {

// dL/dL: given, or 1.
void Pass::start() {
  const GradMode mode(options_.create_graph);
  for (size_t i = 0; i < roots_.size(); ++i)
    if (wants(roots_[i])) accumulate(roots_[i], std::move(root_gradients_[i]));
  left_ = visits_.size();
}

const Node* Pass::step() {
  const GradMode mode(options_.create_graph);
  while (left_ > 0)
    if (Node& node = *visits_[--left_].node; run_node(node)) return &node;
  return nullptr;
}

// False if no gradient reached the node or none is wanted from it.
bool Pass::run_node(Node& node) {
  run_hooks(node);
  const std::span<const Tensor> gs(&sums_[node.slot], node.outputs.size());
  const bool is_reached = std::ranges::any_of(gs, [](const Tensor& g) { return g.defined(); });
  if (!is_reached || !is_wanted(node)) return false;

  Observe::tell(&Observer::node_begins, node, gs);
  Grads dx = Observe::anybody() ? observed_derivative(node, gs) : derivative(node, gs);
  Observe::tell(&Observer::rule_ended, node);
  free_values(node);
  for (size_t i = 0; i < dx.size(); ++i) deliver(node, i, std::move(dx[i]));
  return true;
}

// The rule: dL/dx of each input from g = dL/dy.
Grads Pass::derivative(Node& node, std::span<const Tensor> gs) {
  const Op& op = *node.op;
  const Autocast products(node.autocast);
  const Saved saved(node, gs.data(), options_.create_graph, this);
  const auto rule = options_.create_graph || !op.kernel ? op.formula : op.kernel;
  Grads dx = rule ? rule(saved, gs[0]) : gradients_through_reference(op, saved);
  SLOPE_CHECK_AS(AutogradError, dx.size() == node.inputs.size(),
                 "{}: its derivative returned {} gradients for {} inputs", op.name, dx.size(),
                 node.inputs.size());
  return dx;
}

// dL/dx += g for input i of a node. Where x was broadcast, g is first summed over broadcast dims.
void Pass::deliver(const Node& from, size_t i, Tensor g) {
  const Edge& x = from.inputs[i];
  if (!g.defined() || !wants(x)) return;
  Observe::tell(&Observer::returned, from, i, g);
  const bool has_shape = g.shape() == x.shape();
  SLOPE_CHECK_AS(AutogradError,
                 g.dtype() == x.dtype() && (has_shape || broadcasts_to(x.shape(), g.shape())),
                 "{}: its derivative returned {} {} for input {}, which is {} {}", from.op->name,
                 name(g.dtype()), g.shape(), i, name(x.dtype()), x.shape());
  if (!has_shape) g = sum_to(g, x.shape());
  Observe::tell(&Observer::contributed, from, i, g);
  accumulate(x, std::move(g));
}

void Pass::accumulate(const Edge& x, Tensor g) {
  Tensor& sum = sum_of(x);
  const Tensor before = copy_to_show(sum);
  if (!sum.defined())
    sum = std::move(g);
  else if (may_write(sum))
    add_into(g, sum);
  else
    sum = plus(sum, g);
  Observe::tell(&Observer::summed, x, before, sum);
}

// x.grad += dL/dx. Everything that can fail happens before the first x.grad changes.
void Pass::commit() {
  const GradMode mode(options_.create_graph);
  const List<GradLock> locks = lock_leaves_and_make_grads();
  for (size_t i = 0; i < leaves_.size(); ++i) {
    Tensor &grad = autograd_meta(*leaves_[i])->slot->grad, &g = leaf_sums_[i];
    if (g.defined() && adds_in_place(grad))
      add_into(g, grad);
    else if (g.defined())
      grad = std::move(g);  // contains the old grad, if there was one
  }
}

// ---- entry points; grad() is in engine/capture.cpp
static void run_backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                         BackwardOptions options) {
  Pass pass(options);
  pass.collect(outputs, gradients);
  pass.run();
  pass.commit();
}

void backward(const Tensors& outputs, const Tensors& gradients, BackwardOptions options) {
  run_backward(outputs, gradients, options);
}
void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  run_backward({this, 1}, {&gradient, 1}, {retain_graph, create_graph});
}

}  // namespace slope
