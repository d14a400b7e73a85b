// Where the tape is cut between a leaf and the outputs that change with it, for messages.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <functional>
#include <string>

namespace slope {

// The rule that returns no gradient, the operation that is not recorded, or what to look for.
std::string where_cut(const std::function<Tensors()>& f, const Tensor& leaf);

}  // namespace slope
