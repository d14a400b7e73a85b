// Recomputation. Nodes that use a cheap output (one whose Op has `recompute`) do not save it: their
// SavedValue has no storage, and the node that made the output computes it again when backward
// first needs it. Planned at recording, for short chains of operations. Private to autograd.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// How many operations recompute x, the output that `edge` points to; 0: it must be saved.
uint8_t recompute_steps(const Edge& edge, const Tensor& x);
// The same for the output of a new node whose input 0 is x. If not 0, the node saves x.
uint8_t plan_recompute(const Op& op, const Edge& edge, const Tensor& x);

// The first output of `node`: saved, or else recomputed and then saved for its other users.
Tensor recompute_output(Node& node, Pass* pass);

}  // namespace slope
