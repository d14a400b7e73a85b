// Recording: the one place where nodes are made.
#include <slope/autograd/engine/origin.h>
#include <slope/autograd/engine/profile.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/node.h>

#include <algorithm>
#include <span>

namespace slope {

namespace {

std::atomic<uint64_t> next_sequence{1};

SavedValue save(const Tensor& x, SavedValue::Kind kind, size_t index) {
  return {x.storage(), x.layout(), x.storage()->version(),
          x.dtype(),   kind,       static_cast<uint16_t>(index)};
}

// Making an output again recurses through the operations before: not further than models have such
// operations in a row.
constexpr int most_recompute_steps = 4;

// Whether backward can have x though nobody else saves it: the node that made it keeps
// it, or makes it again.
bool is_recoverable(const Edge& edge, const Tensor& x) {
  return edge.node && edge.output == 0 &&
         (edge.node->op->saves & saves_output || edge.node->recompute_steps > 0) &&
         !edge.node->freed && edge.node->outputs[0].version == x.storage()->version();
}

using Inputs = std::span<const InputRef>;

bool needs_grad(const Tensor& x) {
  const AutogradMeta* meta = x.defined() ? autograd_meta(x) : nullptr;
  return meta && meta->requires_grad;
}
bool any_needs_grad(Inputs inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputRef& x) { return needs_grad(*x); });
}

void attach(const Op& op, std::span<Tensor> outputs, Inputs inputs, Attributes& attributes,
            Tensors& extras) {
  Ref<Node> node(new Node);
  node->op = &op;
  node->sequence = next_sequence.fetch_add(1, std::memory_order_relaxed);
  node->module = current_module();
  if (anomaly_enabled()) node->origin = std::make_unique<std::string>(describe_origin());
  node->inputs.reserve(inputs.size());
  // an input and another, or the output: what most keep
  if (op.saves != saves_nothing) node->saved.reserve(2);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = *inputs[i];
    node->inputs.push_back(gradient_edge(x));
    const Edge& edge = node->inputs.back();
    const bool is_saved = op.saves & saves_inputs || (i < 30 && op.saves >> i & 1),
               recoverable = is_recoverable(edge, x);
    const int steps = recoverable ? edge.node->recompute_steps : 0;  // 0: the value itself is there
    if (i == 0 && op.recompute && (is_saved || recoverable) && steps < most_recompute_steps)
      node->recompute_steps = static_cast<uint8_t>(steps + 1);
    if (!x.defined() || !(is_saved || (i == 0 && node->recompute_steps > 0))) continue;
    node->saved.push_back(save(x, SavedValue::Kind::input, i));
    if (steps > 0) node->saved.back().storage = Storage();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const InputRef& x : inputs)
      SLOPE_CHECK_AS(AutogradError, !outputs[i].is_same(*x),
                     "{}: its output is one of its inputs; return a view or a clone() of it",
                     op.name);
    node->outputs.push_back(
        {outputs[i].shape(), outputs[i].dtype(), outputs[i].storage()->version()});
    if (op.saves & saves_output)
      node->saved.push_back(save(outputs[i], SavedValue::Kind::output, i));
  }
  for (size_t i = 0; i < extras.size(); ++i)
    if (extras[i].defined()) node->saved.push_back(save(extras[i], SavedValue::Kind::extra, i));
  node->attributes = std::move(attributes);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;  // indices have no gradient
    AutogradMeta& meta = ensure_autograd_meta(outputs[i]);
    meta.node = node;
    meta.output = static_cast<uint32_t>(i);
    meta.requires_grad = true;
  }
}

}  // namespace

Tensor Op::record(Tensor y, std::initializer_list<InputRef> inputs, Attributes attributes,
                  Tensors extras) const {
  if (grad_enabled() && any_needs_grad(inputs)) attach(*this, {&y, 1}, inputs, attributes, extras);
  if (profiling()) profile_forward(name, current_module());
  return y;
}

Tensors Op::record(Tensors outputs, const Tensors& inputs, Attributes attributes,
                   Tensors extras) const {
  if (grad_enabled()) {
    const std::vector<InputRef> refs(inputs.begin(), inputs.end());
    if (any_needs_grad(refs)) attach(*this, outputs, refs, attributes, extras);
  }
  if (profiling()) profile_forward(name, current_module());
  return outputs;
}

}  // namespace slope
