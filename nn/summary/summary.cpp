#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/walk.h>
#include <slope/nn/module/hooks.h>
#include <slope/nn/module/mode.h>
#include <slope/nn/module/state.h>
#include <slope/nn/summary/multiply_adds.h>
#include <slope/nn/summary/summary.h>

#include <map>
#include <unordered_set>

namespace slope::nn {

namespace {

int64_t bytes_of(const Tensor& x) { return x.numel() * size_of(x.dtype()); }

// While it lives, inputs and frozen parameters require gradients too, because the tape does not
// record tensors that need none.
class AllRecorded {
 public:
  AllRecorded(ModuleRef model, const Tensors& inputs) {
    Tensors all = nn::parameters(model);
    all.insert(all.end(), inputs.begin(), inputs.end());
    for (const Tensor& x : all)
      if (is_computed_in(x.dtype()) && !x.requires_grad())
        without_.push_back(x.set_requires_grad());
  }
  ~AllRecorded() {
    for (const Tensor& x : without_) x.set_requires_grad(false);
  }
  AllRecorded(const AllRecorded&) = delete;
  AllRecorded& operator=(const AllRecorded&) = delete;

 private:
  Tensors without_;
};

// Watches the calls of all modules while it lives.
class Watch {
 public:
  explicit Watch(std::vector<LayerSummary>& layers) : layers_(layers) {}
  ~Watch() {
    for (HookHandle& handle : handles_) handle.remove();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  void add(ModuleRef module, size_t layer) {
    handles_.push_back(watch_calls(module, [this, layer](const Tensor& y) {
      LayerSummary& l = layers_[layer];
      ++l.calls;
      l.output = y.shape();
      l.output_bytes += bytes_of(y);
    }));
  }

 private:
  std::vector<LayerSummary>& layers_;
  std::vector<HookHandle> handles_;
};

// Lists a module and its parts, each before its own parts.
void collect(ModuleRef module, const std::string& name, int64_t depth,
             std::unordered_set<const TensorImpl*>& seen, std::vector<LayerSummary>& layers,
             std::vector<ModuleRef>& modules) {
  LayerSummary layer{.name = name, .type = module.type(), .depth = depth};
  const Fields fields = module.fields();
  for (const Field& field : fields) {
    layer.has_parts |= field.module.has_value();
    if (!field.parameter || !seen.insert(&field.parameter->impl()).second) continue;
    layer.parameters += field.parameter->numel();
    if (field.parameter->requires_grad()) layer.trainable += field.parameter->numel();
  }
  layers.push_back(std::move(layer));
  modules.push_back(module);
  for (const Field& field : fields)
    if (field.module)
      collect(*field.module, (name.empty() ? "" : name + ".") + field.name, depth + 1, seen, layers,
              modules);
}

}  // namespace

Summary summary_of(ModuleRef model, const Tensors& inputs, const std::function<Tensor()>& call) {
  for (const Tensor& p : nn::parameters(model))
    SLOPE_CHECK_AS(UsageError, is_computed_in(p.dtype()),
                   "summary: a model with weights in {} records no tape; convert it with to(f32)",
                   name(p.dtype()));
  Summary s;
  std::vector<ModuleRef> modules;
  std::unordered_set<const TensorImpl*> seen;
  collect(model, "", 0, seen, s.layers, modules);
  Tensor y;
  {
    Watch watch(s.layers);
    for (size_t i = 0; i < modules.size(); ++i)
      if (modules[i].state()) watch.add(modules[i], i);
    const AllRecorded all(model, inputs);
    const EnableGrad grad;
    const EvalMode eval_mode;
    y = call();
  }
  if (LayerSummary& root = s.layers[0]; root.calls == 0 && y.defined()) {
    root.calls = 1;  // through a method other than operator()
    root.output = y.shape();
    root.output_bytes = bytes_of(y);
  }
  std::map<std::string, LayerSummary*> by_name;
  for (LayerSummary& layer : s.layers) by_name[layer.name] = &layer;
  for (const Node* node : nodes_of({y})) {
    const auto layer = by_name.find(node->module ? node->module : "");
    (layer == by_name.end() ? &s.layers[0] : layer->second)->multiply_adds += multiply_adds(*node);
  }
  for (const LayerSummary& layer : s.layers) {
    s.parameters += layer.parameters;
    s.trainable += layer.trainable;
    s.multiply_adds += layer.multiply_adds;
    if (!layer.has_parts && layer.parameters > 0) s.pass_bytes += 2 * layer.output_bytes;
  }
  for (const Tensor& x : inputs) s.input_bytes += bytes_of(x);
  for (const Tensor& p : nn::parameters(model)) s.parameter_bytes += bytes_of(p);
  return s;
}

}  // namespace slope::nn
