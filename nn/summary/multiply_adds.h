// The multiply-adds of one recorded operation: a matrix product, or attention, which is counted as
// if there were no mask. A bias inside a product counts as one for each element of the output, as
// in torchinfo. All other operations: 0.
#pragma once

#include <slope/autograd/node.h>

namespace slope::nn {

int64_t multiply_adds(const Node& node);

}  // namespace slope::nn
