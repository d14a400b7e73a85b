// Recording: the one place where nodes are made.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/node.h>
#include <slope/autograd/origin.h>
#include <slope/autograd/profile.h>

#include <algorithm>
#include <bit>

namespace slope {

namespace {

std::atomic<uint64_t> next_sequence{1};

SavedValue save(const Tensor& x, SavedValue::Kind kind, size_t index) {
  return {x.storage(), x.layout(), x.storage()->version(), x.dtype(), kind, static_cast<uint16_t>(index)};
}

// Making an output again recurses through the operations before: not further than models have such operations in a row.
constexpr int most_steps_again = 4;

// Whether backward can have x though nobody else saves it: the node that made it keeps it, or makes it again.
bool is_to_be_had(const Edge& edge, const Tensor& x) {
  return edge.node && edge.output == 0 && (edge.node->op->saves & saves_output || edge.node->steps_again > 0) && !edge.node->freed &&
         edge.node->outputs[0].version == x.storage()->version();
}

// How many values of its inputs and outputs a node of `op` is recorded with, at most.
size_t saved_values(const Op& op, size_t inputs, size_t outputs) {
  const size_t named = op.saves & saves_inputs ? inputs : static_cast<size_t>(std::popcount(op.saves & (saves_inputs - 1)));
  return named + (op.again != nullptr && !(op.saves & (saves_inputs | saves_input(0)))) + (op.saves & saves_output ? outputs : 0);
}

bool needs_grad(const Tensor& x) {
  const AutogradMeta* meta = x.defined() ? autograd_meta(x) : nullptr;
  return meta && meta->requires_grad;
}
template <class Inputs>
bool any_needs_grad(const Inputs& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const Input& x) { return needs_grad(*x); });
}

template <class Inputs>
void attach(const Op& op, Tensor* outputs, size_t n_outputs, const Inputs& inputs, Attributes& attributes, Tensors& extras) {
  Ref<Node> node(new Node);
  node->op = &op;
  node->sequence = next_sequence.fetch_add(1, std::memory_order_relaxed);
  node->module = current_module();
  if (anomaly_enabled()) node->origin = std::make_unique<std::string>(describe_origin());
  node->inputs.reserve(inputs.size());
  node->saved.reserve(saved_values(op, inputs.size(), n_outputs) + extras.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = *static_cast<Input>(inputs.begin()[i]);  // of a list of Inputs, or of Tensors
    node->inputs.push_back(gradient_edge(x));
    const Edge& edge = node->inputs.back();
    const bool is_saved = op.saves & saves_inputs || (i < 30 && op.saves >> i & 1), to_be_had = is_to_be_had(edge, x);
    const int steps = to_be_had ? edge.node->steps_again : 0;  // 0: the value itself is there
    if (i == 0 && op.again && (is_saved || to_be_had) && steps < most_steps_again) node->steps_again = static_cast<uint8_t>(steps + 1);
    if (!x.defined() || !(is_saved || (i == 0 && node->steps_again > 0))) continue;
    node->saved.push_back(save(x, SavedValue::Kind::input, i));
    if (steps > 0) node->saved.back().storage = Storage();
  }
  for (size_t i = 0; i < n_outputs; ++i) {
    node->outputs.push_back({outputs[i].shape(), outputs[i].dtype(), outputs[i].storage()->version()});
    if (op.saves & saves_output) node->saved.push_back(save(outputs[i], SavedValue::Kind::output, i));
  }
  for (size_t i = 0; i < extras.size(); ++i)
    if (extras[i].defined()) node->saved.push_back(save(extras[i], SavedValue::Kind::extra, i));
  if (!attributes.empty()) node->attributes = std::make_unique<Attributes>(std::move(attributes));
  for (size_t i = 0; i < n_outputs; ++i) {
    if (!is_floating(outputs[i].dtype())) continue;  // indices have no gradient
    AutogradMeta& meta = ensure_autograd_meta(outputs[i]);
    meta.node = node;
    meta.output = static_cast<uint32_t>(i);
    meta.requires_grad = true;
  }
}

}  // namespace

Tensor Op::record(Tensor y, std::initializer_list<Input> inputs, Attributes attributes, Tensors extras) const {
  if (grad_enabled() && any_needs_grad(inputs)) attach(*this, &y, 1, inputs, attributes, extras);
  if (profiling()) profile_forward(name, current_module());
  return y;
}

Tensors Op::record(Tensors outputs, const Tensors& inputs, Attributes attributes, Tensors extras) const {
  if (grad_enabled() && any_needs_grad(inputs)) attach(*this, outputs.data(), outputs.size(), inputs, attributes, extras);
  if (profiling()) profile_forward(name, current_module());
  return outputs;
}

}  // namespace slope
