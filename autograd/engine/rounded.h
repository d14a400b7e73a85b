// Under Autocast(bf16) nodes keep in bf16, at half the memory, the values that Op::rounds names.
// Backward widens such a value to f32 when it first uses it, unless the kernel reads bf16 itself
// (Saved::kept_input). A storage is rounded once for all nodes that save it or a view of it.
// Private to autograd.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// Input or output i of a new node, rounded if that is allowed and worth it.
SavedValue save_input(const Node& node, const Tensor& x, size_t i);
SavedValue save_output(const Node& node, const Tensor& y, size_t i);
// Replaces a rounded value, and the node's other values in the same storage, by f32 ones.
void widen(Node& node, const SavedValue& value);

}  // namespace slope
