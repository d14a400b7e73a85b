// What a tensor's text calls the node that made it: PyTorch's name of its grad_fn.
#pragma once

#include <slope/autograd/node.h>

#include <string>

namespace slope {

// "MulBackward0". Where PyTorch names by how it computes (matmul, linear) or by how the call was
// written (sum), from the shapes. An operation that PyTorch composes of others, or does not have,
// has slope's name in PyTorch's form: ScaledDotProductAttentionBackward0.
std::string printed_name(const Node& node);

}  // namespace slope
