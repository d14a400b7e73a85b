#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/module/scope.h>
#include <slope/nn/module/state.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace slope::nn {

namespace {

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

// Calls visit(path, module) for each module, before its parts.
template <class F>
void walk(const std::string& path, ModuleRef module, const F& visit) {
  visit(path, module);
  for (const Field& field : module.fields())
    if (field.module) walk(join(path, field.name), *field.module, visit);
}

template <class Pick>
NamedTensors pick(ModuleRef model, bool tied_once, const Pick& tensor_of) {
  NamedTensors found;
  std::unordered_set<const TensorImpl*> seen;
  walk("", model, [&](const std::string& path, ModuleRef module) {
    for (const Field& field : module.fields())
      if (const Tensor* x = tensor_of(field); x && (seen.insert(&x->impl()).second || !tied_once))
        found.push_back({join(path, field.name), *x});
  });
  return found;
}

Tensors tensors(const NamedTensors& named) {
  Tensors all;
  for (const auto& [name, x] : named) all.push_back(x);
  return all;
}

void set_mode(ModuleRef model, bool training) {
  walk("", model, [&](const std::string&, ModuleRef module) {
    if (const ModuleState* state = module.state()) state->training = training;
  });
}

}  // namespace

NamedTensors named_parameters(ModuleRef model) {
  return pick(model, true, [](const Field& f) -> const Tensor* { return f.parameter; });
}
NamedTensors named_buffers(ModuleRef model) {
  return pick(model, true, [](const Field& f) -> const Tensor* { return f.buffer; });
}
Tensors parameters(ModuleRef model) { return tensors(named_parameters(model)); }
Tensors buffers(ModuleRef model) { return tensors(named_buffers(model)); }
Tensors saved_buffers(ModuleRef model) {
  return tensors(pick(model, true, [](const Field& f) -> const Tensor* {
    return f.buffer && f.buffer->is_saved() ? f.buffer : nullptr;
  }));
}

int64_t count_parameters(ModuleRef model) {
  int64_t n = 0;
  for (const Tensor& p : parameters(model)) n += p.numel();
  return n;
}

std::vector<std::pair<std::string, ModuleRef>> named_modules(ModuleRef model) {
  std::vector<std::pair<std::string, ModuleRef>> all;
  walk("", model,
       [&](const std::string& path, ModuleRef module) { all.emplace_back(path, module); });
  return all;
}

std::vector<std::pair<std::string, ModuleRef>> named_children(ModuleRef model) {
  std::vector<std::pair<std::string, ModuleRef>> all;
  for (const Field& field : model.fields())
    if (field.module) all.emplace_back(field.name, *field.module);
  return all;
}

Tensors parameters_named(ModuleRef model, const std::string& pattern) {
  Tensors matched;
  for (const auto& [name, p] :
       pick(model, false, [](const Field& f) -> const Tensor* { return f.parameter; })) {
    const auto is_same = [&p = p](const Tensor& x) { return x.is_same(p); };
    if (path_matches(name, pattern) && std::ranges::none_of(matched, is_same)) matched.push_back(p);
  }
  return matched;
}

size_t set_requires_grad(ModuleRef model, const std::string& pattern, bool on) {
  const Tensors matched = parameters_named(model, pattern);
  SLOPE_CHECK_AS(UsageError, !matched.empty(),
                 "set_requires_grad: no parameter has a name like '{}'; see named_parameters",
                 pattern);
  for (const Tensor& p : matched) p.set_requires_grad(on);
  return matched.size();
}

Tensor parameters_to_vector(const Tensors& parameters) {
  Tensors rows;
  for (const Tensor& p : parameters) rows.push_back(p.reshape({-1}));
  return cat(rows);
}

void vector_to_parameters(const Tensor& x, const Tensors& parameters) {
  int64_t total = 0;
  for (const Tensor& p : parameters) total += p.numel();
  SLOPE_CHECK_SHAPE(x.shape() == Dims{total},
                    "vector_to_parameters: {} parameters have {} elements, the vector has shape {}",
                    parameters.size(), total, x.shape());
  const NoGrad no_grad;
  Tensors parts;
  int64_t at = 0;
  for (const Tensor& p : parameters) {
    parts.push_back(x.narrow(0, at, p.numel()).reshape(p.shape()));
    at += p.numel();
  }
  copy_each(parts, parameters);
}

NamedTensors state_entries(ModuleRef model) {
  NamedTensors entries;
  walk("", model, [&](const std::string& path, ModuleRef module) {
    const Fields fields = module.fields();
    for (const Field& f : fields)
      if (f.parameter) entries.push_back({join(path, f.name), *f.parameter});
    for (const Field& f : fields)
      if (f.buffer && f.buffer->is_saved()) entries.push_back({join(path, f.name), *f.buffer});
  });
  return entries;
}

StateDict state_dict(ModuleRef model) {
  const NamedTensors entries = state_entries(model);
  std::unordered_map<const TensorImpl*, std::string> kept;
  for (const auto& [name, x] : entries) {
    std::string& first = kept.try_emplace(&x.impl(), name).first->second;
    first = std::min(first, name);
  }
  StateDict state;
  for (const auto& [name, x] : entries) {
    const std::string& first = kept.at(&x.impl());
    if (name == first) {
      state.tensors.push_back({name, x});
    } else {
      state.tied[name] = first;
    }
  }
  return state;
}

void train(ModuleRef model, bool training) { set_mode(model, training); }
void eval(ModuleRef model) { set_mode(model, false); }

void zero_grad(ModuleRef model) {
  for (const Tensor& p : parameters(model)) p.set_grad({});
}

void replace_data(const Tensor& x, const Tensor& data) {
  TensorImpl& impl = x.impl();
  impl.storage = data.storage();
  impl.layout = data.layout();
  impl.dtype = data.dtype();
  if (const Tensor grad = x.grad(); grad.defined() && grad.dtype() != data.dtype())
    x.set_grad(contiguous_copy(grad, data.dtype()));
}

void to(ModuleRef model, DType dtype) {
  SLOPE_CHECK_DTYPE(is_computed_in(dtype), "to: a model is float32 or float64, not {}",
                    name(dtype));
  Tensors all = parameters(model);
  for (const Tensor& b : buffers(model))
    if (is_floating(b.dtype())) all.push_back(b);
  for (const Tensor& x : all)
    if (x.dtype() != dtype) replace_data(x, contiguous_copy(x, dtype));
}

void apply(ModuleRef model, const std::function<void(ModuleRef)>& f) {
  for (const Field& field : model.fields())
    if (field.module) apply(*field.module, f);
  if (model.state()) f(model);
}

}  // namespace slope::nn
