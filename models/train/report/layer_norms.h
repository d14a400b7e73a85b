// The norms of each layer's gradient and weights, which show where a gradient vanishes or explodes.
#pragma once

#include <slope/core/tensor/named_tensor.h>

namespace slope::train {

struct NormsOf {
  std::string layer;
  double gradient = 0, weights = 0;  // roots of the sums of squares
};

// The layers in the order of their parameters. A parameter's layer is the outermost numbered module
// of its path ("encoder.layers.0" of "encoder.layers.0.linear1.weight"), else its own module.
std::vector<NormsOf> layer_norms(const NamedTensors& parameters);
std::string layer_of(const std::string& parameter);

}  // namespace slope::train
