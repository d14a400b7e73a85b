// The name of a node in a printed tensor: PyTorch's name of the grad_fn.
#pragma once

#include <slope/autograd/node.h>

#include <string>

namespace slope {

// "MulBackward0". Where PyTorch's name depends on how PyTorch computes (matmul, linear) or on how
// the call was written (sum), the shapes decide. An operation that PyTorch composes of others or
// lacks has slope's name in PyTorch's form: ScaledDotProductAttentionBackward0.
std::string printed_name(const Node& node);

}  // namespace slope
