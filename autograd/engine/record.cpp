// Recording: the one place where nodes are made.
#include <slope/autograd/engine/kept.h>
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/core/module_path.h>
#include <slope/core/product/autocast.h>

#include <algorithm>

namespace slope {

using Inputs = std::span<const InputRef>;

static void save_values(Node& node, Inputs inputs, const Tensors& extras,
                        std::span<const Tensor> outputs) {
  const Saves& saves = node.op->saves;
  if (saves.inputs || saves.outputs) node.saved.reserve(2);  // most save two tensors
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = *inputs[i];
    if (x.defined() && (saves.input(i) || (i == 0 && node.recompute_steps > 0)))
      node.saved.push_back(keep_input(node, x, i));
  }
  for (size_t i = 0; saves.outputs && i < outputs.size(); ++i)
    node.saved.push_back(keep_output(node, outputs[i], i));
  for (size_t i = 0; i < extras.size(); ++i)
    if (extras[i].defined()) node.saved.push_back(save(extras[i], SavedValue::Kind::extra, i));
}

static std::atomic<uint64_t> newest{0};
uint64_t newest_sequence() { return newest.load(std::memory_order_relaxed); }

// Makes a node with its saved values, edges to the nodes of its inputs, and links from its outputs.
static Ref<Node> attach(const Op& op, std::span<const Tensor> outputs, Inputs inputs,
                        Attributes& attributes, const Tensors& extras) {
  Ref<Node> node(new Node);
  node->op = &op;
  node->sequence = newest.fetch_add(1, std::memory_order_relaxed) + 1;
  node->module = current_module();
  node->autocast = autocast_dtype();
  node->attributes = std::move(attributes);
  node->inputs.reserve(inputs.size());
  for (const InputRef& x : inputs) node->inputs.push_back(gradient_edge(*x));
  node->recompute_steps = plan_recompute(op, node->inputs[0], *inputs.front());
  save_values(*node, inputs, extras, outputs);
  for (const Tensor& y : outputs) {
    for (const InputRef& x : inputs)
      SLOPE_CHECK_AS(AutogradError, !y.is_same(*x),
                     "{}: its output is one of its inputs; return a view or a clone() of it",
                     op.name);
    node->outputs.push_back({y.shape(), y.dtype(), y.storage()->version()});
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (is_floating(outputs[i].dtype())) connect(outputs[i], node, static_cast<uint32_t>(i));
  return node;
}

static void record_on(const Op& op, std::span<const Tensor> outputs, Inputs inputs,
                      Attributes& attributes, const Tensors& extras) {
  const auto needs_grad = [](const InputRef& x) { return x->defined() && x->requires_grad(); };
  Ref<Node> node;
  if (grad_enabled() && std::any_of(inputs.begin(), inputs.end(), needs_grad))
    node = attach(op, outputs, inputs, attributes, extras);
  Observe::tell(&Observer::recorded, Recorded{op, node.get(), inputs, outputs});
}

Tensor Op::record(Tensor y, std::initializer_list<InputRef> inputs, Attributes attributes,
                  Tensors extras) const {
  record_on(*this, {&y, 1}, inputs, attributes, extras);
  return y;
}
Tensors Op::record(Tensors outputs, const Tensors& inputs, Attributes attributes,
                   Tensors extras) const {
  record_on(*this, outputs, std::vector<InputRef>(inputs.begin(), inputs.end()), attributes,
            extras);
  return outputs;
}

}  // namespace slope
