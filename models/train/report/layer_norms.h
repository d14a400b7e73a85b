// The size of each layer's gradient and weights: where a gradient vanishes or explodes on its way.
#pragma once

#include <slope/core/tensor/named_tensor.h>

namespace slope::train {

struct NormsOf {
  std::string layer;
  double gradient = 0, weights = 0;  // roots of the sums of squares
};

// The layers in the order of their parameters, a layer being what has a number of its own
// ("encoder.layers.0" of "encoder.layers.0.linear1.weight"), or the module of the parameter.
std::vector<NormsOf> layer_norms(const NamedTensors& parameters);
std::string layer_of(const std::string& parameter);

}  // namespace slope::train
