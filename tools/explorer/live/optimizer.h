// An optimizer as arithmetic: a program's leaves, step by step, with all that the optimizer keeps.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// {"program", "optimizer": sgd, momentum or adamw, "lr", "steps", "clip": the largest norm, 0:
// none, "forget": 1: gradients are not zeroed}: of each step the loss and, of each leaf, value,
// gradient as it stands in grad(), gradient after clipping, the optimizer's state and the new
// value.
std::string optimizer(const Fields& fields);

}  // namespace slope::explorer
