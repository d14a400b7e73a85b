// Under Autocast(bf16) nodes keep what their Op allows (Op::rounds) in bf16, at half the memory.
// Backward widens it when it first needs it. A storage is rounded once for all who save it or a
// view of it. Private to autograd.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// Input or output i of a new node, rounded if that is allowed and worth it.
SavedValue save_input(const Node& node, const Tensor& x, size_t i);
SavedValue save_output(const Node& node, const Tensor& y, size_t i);
// Replaces a rounded value of the node, and those of the same storage, by f32 ones.
void widen(Node& node, const SavedValue& value);

}  // namespace slope
