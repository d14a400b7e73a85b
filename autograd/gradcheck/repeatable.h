// Whether backward gives the same bits whenever it is run over the same graph.
#pragma once

#include <slope/core/tensor/named_tensor.h>

#include <string>

namespace slope {

// A message unless two passes with the same cotangent gave the same. `op`: the operation of which
// the gradient differs first, or "".
std::string not_repeatable(const Tensors& once, const Tensors& again, const NamedTensors& leaves,
                           const std::string& op);

}  // namespace slope
