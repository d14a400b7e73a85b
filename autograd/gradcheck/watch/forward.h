// Watching the operations of a function's forward, for messages: which of them made a value that is
// not finite, and where the tape is cut.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// In words, the operation that made the value `bad` (nan, or infinite) of output k: the first in
// whose inputs there is none like it.
std::string source_of(const std::function<Tensors()>& f, size_t k, double bad);

// The operation that took a tensor which needs a gradient, and was not recorded, since gradients
// are off there (NoGrad): "mul in module encoder". Empty where there is none.
std::string unrecorded(const std::function<Tensors()>& f);

}  // namespace slope
