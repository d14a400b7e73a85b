// Walks the tape without running it: what a result was computed from, by which operations.
#pragma once

#include <slope/autograd/node.h>

#include <string>
#include <utility>
#include <vector>

namespace slope {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;  // {{"dim", "1"}}

// every node that the outputs reach, in creation order; valid as long as the outputs live
std::vector<Node*> nodes_of(const Tensors& outputs);
// every leaf that would get a gradient, in the order of first use
Tensors leaves_of(const Tensors& outputs);
// a node's attributes as text
NamedTexts attributes_of(const Node& node);
std::string to_json(const NamedTexts& texts);  // an object of strings

}  // namespace slope
