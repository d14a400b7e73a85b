// Walks the tape without running it: what a result was computed from.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// every node that the outputs reach, in creation order; valid as long as the outputs live
std::vector<Node*> nodes_of(const Tensors& outputs);
// every leaf that would get a gradient, in the order of first use
Tensors leaves_of(const Tensors& outputs);

}  // namespace slope
