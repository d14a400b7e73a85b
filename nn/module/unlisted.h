// Parameters that a loss depends on but that no SLOPE_MODULE line lists: they would be neither
// trained nor saved. This finds members forgotten in the line, but for buffers and frozen
// parameters, to which no gradient flows. An input that requires a gradient (for a penalty on it)
// counts as one, so slope's loop refuses it: train in a loop of your own.
//
//   const Tensor loss = model.loss(x, y);
//   for (const std::string& p : nn::unlisted_parameters(model, loss)) std::puts(p.c_str());
//
// A training loop asks once, in its first step; slope's own does and refuses such a model.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/nn/module/module_ref.h>

namespace slope::nn {

// One phrase per parameter, in order of first use: "(2, 3), first used by linear in module fc1".
std::vector<std::string> unlisted_parameters(ModuleRef model, const Tensor& loss);
std::vector<std::string> unlisted_parameters(const NamedTensors& listed, const Tensor& loss);

}  // namespace slope::nn
