// A tensor with a name: a parameter of a model, an entry of a file, a leaf of a graph.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <string>
#include <vector>

namespace slope {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

}  // namespace slope
