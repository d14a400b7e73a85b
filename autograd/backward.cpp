// The engine: collect what the outputs reach, sort by creation, run from the last to the first,
// then hand the sums to the leaves.
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/engine/profile.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>

#include <cmath>

namespace slope {

namespace {

const Dims& shape_of(const Edge& edge) {
  return edge.leaf ? edge.leaf->layout.shape : edge.node->outputs[edge.output].shape;
}
DType dtype_of_edge(const Edge& edge) {
  return edge.leaf ? edge.leaf->dtype : edge.node->outputs[edge.output].dtype;
}

bool is_ours_alone(const Tensor& x) {
  const StorageImpl& memory = *x.storage();
  return x.impl().ref_count() == 1 && memory.ref_count() == 1 && x.is_contiguous() &&
         !x.requires_grad();
}

// What the engine found at output i of `node`: the first element that is not finite.
void check_finite(const Node& node, const char* what, size_t i, const Tensor& g) {
  const std::vector<double> values = g.detach().to_vector();
  for (size_t k = 0; k < values.size(); ++k)
    SLOPE_CHECK_AS(NumericError, std::isfinite(values[k]),
                   "backward of {}{}{}: {} {} is {} at element {} of shape {}{}{}", node.op->name,
                   node.module ? " in module " : "", node.module ? node.module : "", what, i,
                   values[k], k, g.shape(),
                   node.origin ? "; made by "
                               : "; run the forward under DetectAnomaly to see where it was made",
                   node.origin ? *node.origin : "");
}

// What a hook makes of the gradient g.
Tensor hooked(const Hook& hook, const Tensor& g) {
  const Tensor changed = hook(g);
  if (!changed.defined()) return g;
  SLOPE_CHECK_SHAPE(changed.shape() == g.shape(),
                    "hook: the gradient has shape {}, the hook returned {}", g.shape(),
                    changed.shape());
  SLOPE_CHECK_DTYPE(changed.dtype() == g.dtype(), "hook: the gradient is {}, the hook returned {}",
                    name(g.dtype()), name(changed.dtype()));
  return changed;
}

thread_local const Pass* innermost = nullptr;

}  // namespace

Pass::Pass(BackwardOptions options) : options_(options), outer_(innermost) { innermost = this; }

Pass::Pass(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
           BackwardOptions options)
    : Pass(options) {
  SLOPE_CHECK_AS(AutogradError, gradients.empty() || gradients.size() == outputs.size(),
                 "backward: {} outputs but {} gradients", outputs.size(), gradients.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& y = outputs[i];
    Edge edge = gradient_edge(y);
    SLOPE_CHECK_AS(
        AutogradError, static_cast<bool>(edge),
        "backward: output {} needs no gradient: nothing that it was computed from requires one", i);
    Tensor g = gradients.empty() ? Tensor() : gradients[i];
    if (!g.defined()) {
      SLOPE_CHECK_AS(AutogradError, y.numel() == 1,
                     "backward: a gradient can be left out only for an output of one element, "
                     "output {} has shape {}",
                     i, y.shape());
      g = ones(y.shape(), y.dtype());
    }
    SLOPE_CHECK_SHAPE(g.shape() == y.shape(), "backward: output {} has shape {}, its gradient {}",
                      i, y.shape(), g.shape());
    SLOPE_CHECK_DTYPE(g.dtype() == y.dtype(), "backward: output {} is {}, its gradient {}", i,
                      name(y.dtype()), name(g.dtype()));
    roots_.push_back(std::move(edge));
    root_gradients_.push_back(g);
  }
  collect();
}

Pass::~Pass() {
  innermost = outer_;
  for (const Visit& visit : visits_) {
    visit.node->slot = visit.outer_slot;
    visit.node->pass.store(visit.outer, std::memory_order_release);
  }
}

void Pass::collect() {
  constexpr size_t usual = 32;  // nodes of a small graph
  List<Node*> stack(&memory_);
  stack.reserve(usual), order_.reserve(usual), visits_.reserve(usual), leaves_.reserve(usual),
      leaf_sums_.reserve(usual);
  uint32_t slots = 0;
  // another thread's may be gone: compared, never read
  const auto is_of_this_thread = [](const Pass* pass) {
    for (const Pass* p = innermost; p; p = p->outer_)
      if (p == pass) return true;
    return false;
  };
  const auto reach = [&](Node* node) {
    Pass* current = node->pass.load(std::memory_order_acquire);
    if (current == this) return;
    SLOPE_CHECK_AS(AutogradError, !current || is_of_this_thread(current),
                   "backward: another thread is running backward through this graph ({})",
                   node->op->name);
    // nothing may fail between taking and noting a node
    if (visits_.size() == visits_.capacity()) visits_.reserve(2 * visits_.capacity());
    SLOPE_CHECK_AS(AutogradError, node->pass.compare_exchange_strong(current, this),
                   "backward: another thread is running backward through this graph ({})",
                   node->op->name);
    visits_.push_back({node, current, node->slot});
    node->slot = slots;
    slots += static_cast<uint32_t>(node->outputs.size());
    stack.push_back(node);
  };
  for (const Edge& root : roots_)
    if (root.node) reach(root.node.get());
  while (!stack.empty()) {
    Node* node = stack.back();
    stack.pop_back();
    order_.push_back(node);
    for (const Edge& edge : node->inputs)
      if (edge.node) reach(edge.node.get());
  }
  std::sort(order_.begin(), order_.end(),
            [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
  sums_.resize(slots);
}

Tensor& Pass::leaf_sum(TensorImpl* leaf) {
  const auto [at, is_new] = leaf_index_.try_emplace(leaf, leaves_.size());
  if (is_new) {
    leaves_.emplace_back(leaf);
    leaf_sums_.emplace_back();
  }
  return leaf_sums_[at->second];
}

// A node is wanted where one of its inputs is captured, or comes from a wanted node; creation order
// makes one sweep enough.
void Pass::capture(const Tensors& inputs) {
  captures_ = true;
  wanted_.assign(sums_.size(), 0);
  captured_.assign(sums_.size(), 0);
  for (const Tensor& x : inputs) {
    const Edge edge = gradient_edge(x);
    if (edge.leaf) wanted_leaves_.insert(edge.leaf.get());
    if (edge.node && edge.node->pass.load() == this) captured_[edge.node->slot + edge.output] = 1;
  }
  for (Node* node : order_) {
    const char* captured = &captured_[node->slot];
    if (begins_at_captured &&
        std::find(captured, captured + node->outputs.size(), 1) != captured + node->outputs.size())
      continue;
    for (const Edge& edge : node->inputs) {
      const bool leads = edge.leaf ? wanted_leaves_.contains(edge.leaf.get())
                                   : edge.node && (captured_[edge.node->slot + edge.output] ||
                                                   wanted_[edge.node->slot]);
      if (leads) wanted_[node->slot] = 1;
    }
  }
}

bool Pass::wants(const Edge& edge) const {
  if (!edge || !captures_) return static_cast<bool>(edge);
  if (edge.leaf) return wanted_leaves_.contains(edge.leaf.get());
  return captured_[edge.node->slot + edge.output] || wanted_[edge.node->slot];
}

Tensor& Pass::sum_of(const Edge& edge) {
  return edge.leaf ? leaf_sum(edge.leaf.get()) : sums_[edge.node->slot + edge.output];
}

Tensor Pass::sum_so_far(const Edge& edge) const {
  if (!edge || options_.create_graph || anomaly_enabled()) return {};
  const auto leaf = edge.leaf ? leaf_index_.find(edge.leaf.get()) : leaf_index_.end();
  if (edge.leaf && leaf == leaf_index_.end()) return {};
  const Tensor& sum = edge.leaf ? leaf_sums_[leaf->second] : sums_[edge.node->slot + edge.output];
  return sum.defined() && is_ours_alone(sum) ? sum : Tensor();
}

bool Pass::may_overwrite_grad_of(const Node& node) const {
  const bool is_kept = captures_ && captured_[node.slot];
  return !options_.create_graph && !anomaly_enabled() && !is_kept && sums_[node.slot].defined() &&
         is_ours_alone(sums_[node.slot]);
}

void Pass::accumulate(Tensor& sum, Tensor g) {
  if (!sum.defined())
    sum = std::move(g);
  else if (!options_.create_graph && is_ours_alone(sum))
    add_into(g, sum);
  else
    sum = sum + g;
}

// Checks a gradient that `from` returned for one of its inputs, sums it back over broadcast dims
// and adds it to what is there.
void Pass::deliver(const Node& from, size_t input, Tensor g) {
  const Edge& edge = from.inputs[input];
  if (!g.defined() || !wants(edge)) return;
  const Dims& shape = shape_of(edge);
  SLOPE_CHECK_AS(AutogradError, g.dtype() == dtype_of_edge(edge),
                 "{}: its derivative returned {} for input {}, which is {}", from.op->name,
                 name(g.dtype()), input, name(dtype_of_edge(edge)));
  if (!(g.shape() == shape)) {
    SLOPE_CHECK_AS(AutogradError, broadcasts_to(shape, g.shape()),
                   "{}: its derivative returned shape {} for input {} of shape {}", from.op->name,
                   g.shape(), input, shape);
    g = sum_to(g, shape);
  }
  if (anomaly_enabled()) check_finite(from, "the gradient of input", input, g);
  accumulate(sum_of(edge), std::move(g));
}

void Pass::apply_hooks(Node& node) {
  const GradMode mode(options_.create_graph);
  const auto hooks = node.hooks->hooks;  // a copy: a hook may add hooks
  for (const auto& [output, hook] : hooks)
    if (Tensor& g = sums_[node.slot + output]; g.defined()) g = hooked(hook, g);
  for (const auto& [output, impl] : node.hooks->retain_grad)
    if (sums_[node.slot + output].defined()) {
      const Tensor tensor{Ref<TensorImpl>(impl)};
      const Tensor& g = sums_[node.slot + output];
      tensor.set_grad(tensor.grad().defined() ? tensor.grad() + g : g);
    }
}

void Pass::run_node(Node& node) {
  if (node.hooks) apply_hooks(node);
  if (captures_ && !wanted_[node.slot]) return;
  const size_t outputs = node.outputs.size();
  const Tensor* grads = &sums_[node.slot];
  if (std::none_of(grads, grads + outputs, [](const Tensor& g) { return g.defined(); })) return;

  const Op& op = *node.op;
  Grads result;
  {
    const Saved saved(node, grads, options_.create_graph, this);
    const GradMode mode(options_.create_graph);
    const ProfiledRule profiled(op.name, node.module);
    const auto rule = options_.create_graph || !op.kernel ? op.formula : op.kernel;
    result = rule ? rule(saved, grads[0]) : gradients_through_reference(op, saved);
  }
  SLOPE_CHECK_AS(AutogradError, result.size() == node.inputs.size(),
                 "{}: its derivative returned {} gradients for {} inputs", op.name, result.size(),
                 node.inputs.size());
  if (frees_values() && !node.saved.empty()) {
    node.saved.clear();
    node.freed = true;
  }
  for (size_t k = node.slot; k < node.slot + outputs; ++k)
    if (!captures_ || !captured_[k]) sums_[k] = Tensor();
  const GradMode mode(options_.create_graph);
  for (size_t i = 0; i < result.size(); ++i) deliver(node, i, std::move(result[i]));
}

void Pass::run() {
  {
    const GradMode mode(options_.create_graph);
    for (size_t i = 0; i < roots_.size(); ++i)
      if (wants(roots_[i])) accumulate(sum_of(roots_[i]), root_gradients_[i]);
    root_gradients_.clear();
  }
  for (size_t i = order_.size(); i-- > 0;) run_node(*order_[i]);
  if (!leaf_hooks) return;
  const GradMode mode(options_.create_graph);
  for (size_t i = 0; i < leaves_.size(); ++i) {
    // a copy: a hook may add hooks
    const std::vector<Hook> hooks = autograd_meta(Tensor(leaves_[i]))->leaf_hooks;
    for (const Hook& hook : hooks) leaf_sums_[i] = hooked(hook, leaf_sums_[i]);
  }
}

// Everything that can fail (memory) happens before the first gradient changes.
void Pass::commit() {
  const GradMode mode(options_.create_graph);
  const auto grad_of = [](const Ref<TensorImpl>& leaf) -> Tensor& {
    return autograd_meta(*leaf)->grad;
  };  // who needs one has a meta
  const auto is_frozen = [](const Ref<TensorImpl>& leaf) {
    return !autograd_meta(*leaf)->requires_grad;
  };  // since the forward
  const auto adds_in_place = [&](const Tensor& before) {
    return !options_.create_graph && before.defined() && before.is_contiguous();
  };
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const Tensor& before = grad_of(leaves_[i]);
    Tensor& g = leaf_sums_[i];
    if (is_frozen(leaves_[i]) || adds_in_place(before)) continue;
    // A gradient belongs to its leaf alone: another leaf, a retained gradient or the caller may
    // hold g, and the next pass adds in place.
    if (before.defined())
      g = before + g;
    else if (options_.create_graph)
      g = clone(g);
    else if (!is_ours_alone(g))
      g = contiguous_copy(g);
  }
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (is_frozen(leaves_[i])) continue;
    Tensor& grad = grad_of(leaves_[i]);
    if (adds_in_place(grad))
      add_into(leaf_sums_[i], grad);
    else
      grad = std::move(leaf_sums_[i]);
  }
}

Tensor Pass::gradient_of(const Tensor& x) const {
  const Edge edge = gradient_edge(x);
  if (edge.leaf) {
    const auto at = leaf_index_.find(edge.leaf.get());
    return at == leaf_index_.end() ? Tensor() : leaf_sums_[at->second];
  }
  return edge.node && edge.node->pass.load() == this ? sums_[edge.node->slot + edge.output]
                                                     : Tensor();
}

static void run_backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                         BackwardOptions options) {
  Pass pass(outputs, gradients, options);
  pass.run();
  pass.commit();
}

void backward(const Tensors& outputs, const Tensors& gradients, BackwardOptions options) {
  run_backward(outputs, gradients, options);
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  run_backward({this, 1}, {&gradient, 1},
               {.retain_graph = retain_graph, .create_graph = create_graph});
}

namespace {

Tensors gradients(const Tensors& outputs, const Tensors& inputs, const GradOptions& options,
                  bool within) {
  for (size_t i = 0; i < inputs.size(); ++i)
    SLOPE_CHECK_AS(AutogradError, inputs[i].requires_grad(),
                   "grad: input {} does not require a gradient", i);
  Pass pass(outputs, options.grad_outputs,
            {.retain_graph = options.retain_graph, .create_graph = options.create_graph});
  pass.leaf_hooks = !within;
  pass.begins_at_captured = within;
  pass.capture(inputs);
  pass.run();
  Tensors result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(pass.gradient_of(inputs[i]));
    SLOPE_CHECK_AS(AutogradError, options.allow_unused || result.back().defined(),
                   "grad: the outputs do not depend on input {}; say allow_unused to get an "
                   "undefined gradient for it",
                   i);
  }
  return result;
}

}  // namespace

Tensors grad(const Tensors& outputs, const Tensors& inputs, GradOptions options) {
  return gradients(outputs, inputs, options, false);
}
Tensors grad_within(const Tensors& outputs, const Tensors& inputs, const GradOptions& options) {
  return gradients(outputs, inputs, options, true);
}

}  // namespace slope
