// An optimizer as arithmetic: a program's leaves at each step, with the optimizer's whole state.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// {"program", "optimizer": sgd, momentum or adamw, "lr", "steps", "clip": the largest norm (0:
// none), "forget": 1 if gradients are not zeroed}. The result has for each step the loss and, for
// each leaf, its value, its grad(), the gradient after clipping, the optimizer's state and the new
// value.
std::string optimizer(const Fields& fields);

}  // namespace slope::explorer
