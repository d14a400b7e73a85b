// How a node keeps a value until backward reads it. Private to autograd.
//
// - As it is: its storage, with the version.
// - Rounded: under Autocast(bf16), in bf16, at half the memory, if Op::rounds names it. Backward
//   widens it to f32 when it first uses it, unless the kernel reads bf16 itself
//   (Saved::kept_input). A storage is rounded once for all nodes that save it or a view of it.
// - Not at all: the output of an Op that has `recompute` is cheap. The nodes that use it save no
//   storage, and its own node computes it again when backward first needs it. Planned at recording,
//   for short chains of operations.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// Input or output i of a new node. The node's inputs and recompute_steps are set before.
SavedValue keep_input(const Node& node, const Tensor& x, size_t i);
SavedValue keep_output(const Node& node, const Tensor& y, size_t i);

// How many operations recompute the output of a new node whose input 0 is x; 0: it must be saved.
// If not 0, the node saves x.
uint8_t plan_recompute(const Op& op, const Edge& edge, const Tensor& x);

// Replaces a rounded value, and the node's other values in the same storage, by f32 ones.
void widen(Node& node, const SavedValue& value);
// The first output of `node`: saved, or else recomputed and then saved for its other users.
Tensor recompute_output(Node& node, Pass* pass);

}  // namespace slope
