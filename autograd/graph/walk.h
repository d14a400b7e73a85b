// Walking the tape without running it: what a result was computed from.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// every node that the outputs reach, in creation order; alive as long as the outputs
std::vector<Node*> nodes_of(const Tensors& outputs);
// every leaf that a gradient would reach, in the order of first use
Tensors leaves_of(const Tensors& outputs);

}  // namespace slope
