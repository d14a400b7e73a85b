// Reverse mode: the derivatives of L. Every operation y = f(x1, x2, …) was recorded as a node.
//
//   dL/dL = 1
//   for each node, from the last recorded to the first:
//     for each of its inputs:   dL/dx += dL/dy dy/dx        the node's rule
//   for each leaf:              x.grad += dL/dx
//
// Whatever uses y was recorded after y, so dL/dy is complete when its node's turn comes.
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/product/autocast.h>

#include <algorithm>

namespace slope {

void Pass::begin(const Tensors& outputs, const Tensors& gradients, const Tensors* inputs) {
  const GradMode mode(options_.create_graph);
  List<Tensor> gs = collect(outputs, gradients);
  if (inputs) capture(*inputs);
  for (size_t i = 0; i < roots_.size(); ++i)
    if (wants(roots_[i])) accumulate(roots_[i], std::move(gs[i]));
}

const Node* Pass::next() {
  const GradMode mode(options_.create_graph);
  while (next_ < visits_.size())
    if (Node& node = *visits_[next_++].node; run_node(node)) return &node;
  if (is_within) return nullptr;  // the outer pass goes on
  for (const Leaf& x : leaves_) run_hooks(Ref(x.slot), *x.sum);
  if (captured_.empty()) commit();
  return nullptr;
}

// False if no gradient reached the node or none is wanted from it.
bool Pass::run_node(Node& node) {
  for (size_t k = 0; k < node.outputs.size(); ++k)
    run_hooks(Ref(node.outputs[k].slot.get()), sums_[node.slot + k]);
  const std::span<const Tensor> gs(&sums_[node.slot], node.outputs.size());
  const bool is_reached = std::ranges::any_of(gs, [](const Tensor& g) { return g.defined(); });
  if (!is_reached || !is_wanted(node)) return false;

  Observe::tell(&Observer::node_begins, node, gs);
  Grads dx = Observe::needs_contributions() ? observed_derivative(node, gs) : derivative(node, gs);
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
  Grads dx = rule ? rule(saved, gs[0]) : saved.through_reference();
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
  const bool shows_before = sum.defined() && Observe::needs_contributions();
  const Tensor before = shows_before ? contiguous_copy(sum) : Tensor();
  if (!sum.defined() && x.leaf)
    leaves_.push_back({x.leaf, autograd_meta(*x.leaf)->slot.get(), &sum});
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
  const List<GradLock> locks = lock_leaves_and_make_grads();
  for (const Leaf& x : leaves_)
    if (adds_in_place(x.slot->grad))
      add_into(*x.sum, x.slot->grad);
    else
      x.slot->grad = std::move(*x.sum);  // contains the old grad, if there was one
}

// ---- entry points; grad() is in engine/capture.cpp
void backward(const Tensors& outputs, const Tensors& gradients, BackwardOptions options) {
  Pass pass(options);
  pass.begin(outputs, gradients);
  while (pass.next()) {
  }
}
void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  slope::backward({*this}, {gradient}, {retain_graph, create_graph});
}

}  // namespace slope
