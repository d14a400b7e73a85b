// A model's tensors by name. The names are those of PyTorch's state_dict: member names joined by
// dots, a module's own tensors before those of its parts. A tensor with two names (tie) counts
// once, under the first.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/nn/module/module_ref.h>

#include <functional>
#include <map>

namespace slope::nn {

NamedTensors named_parameters(ModuleRef model);
NamedTensors named_buffers(ModuleRef model);
Tensors parameters(ModuleRef model);
Tensors buffers(ModuleRef model);
// Those that are saved: only they may change in training.
Tensors saved_buffers(ModuleRef model);
int64_t count_parameters(ModuleRef model);  // elements of all parameters
// the model itself first, as ""
std::vector<std::pair<std::string, ModuleRef>> named_modules(ModuleRef model);
// only its direct parts
std::vector<std::pair<std::string, ModuleRef>> named_children(ModuleRef model);
// The parameters with a name that matches the pattern (path_matches: "encoder.*"), each once; tied
// ones have several.
Tensors parameters_named(ModuleRef model, const std::string& pattern);
// Sets requires_grad of parameters_named(model, pattern) and returns their number. UsageError if
// there is none.
size_t set_requires_grad(ModuleRef model, const std::string& pattern, bool on);

// These parameters as one vector, through which gradients flow, and back. ShapeError, with nothing
// written, unless x is a vector of their total size.
[[nodiscard]] Tensor parameters_to_vector(const Tensors& parameters);
void vector_to_parameters(const Tensor& x, const Tensors& parameters);

// Every name in PyTorch's state_dict, including tied ones, in its order.
NamedTensors state_entries(ModuleRef model);

// What is saved: each tensor once, under the alphabetically first of its names (safetensors'
// convention). `tied` maps each omitted name to the saved one, for __metadata__. The tensors share
// the model's memory.
struct StateDict {
  NamedTensors tensors;
  std::map<std::string, std::string> tied;
};
StateDict state_dict(ModuleRef model);

// set the mode of every module in `model`; only while no other thread uses it (mode.h)
void train(ModuleRef model, bool training = true);
void eval(ModuleRef model);
void zero_grad(ModuleRef model);
// converts floating-point parameters, gradients and buffers in place: every holder sees the change
void to(ModuleRef model, DType dtype);
// calls f for each module, parts first, as in PyTorch; not for lists (std::vector) themselves
void apply(ModuleRef model, const std::function<void(ModuleRef)>& f);

// Replaces the elements of x for everyone who holds it: x stays the same tensor with its
// requires_grad and its gradient, which is converted if the dtype changes.
void replace_data(const Tensor& x, const Tensor& data);

}  // namespace slope::nn
