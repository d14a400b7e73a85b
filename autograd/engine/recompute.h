// Recomputation. An output that costs little beside a product (Op::recompute) is not saved by those
// who use it: their SavedValue has no storage, and the node that made it computes it once more when
// backward first asks. Planned at recording, in a chain of few operations. Private to autograd.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

// How many operations recompute x, which lies behind `edge`; 0: it has to be saved.
uint8_t recompute_steps(const Edge& edge, const Tensor& x);
// The same for the output of a new node, x being its input 0. It then saves that input.
uint8_t plan_recompute(const Op& op, const Edge& edge, const Tensor& x);

// The first output of `node`: the saved one, else computed, and saved for others that use it too.
Tensor recompute_output(Node& node, Pass* pass);

}  // namespace slope
