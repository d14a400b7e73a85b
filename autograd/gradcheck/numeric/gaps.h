// A cotangent in other layouts, with nan wherever a rule that takes it for contiguous would read.
// The storage has at least the size of such a tensor, so that this rule stays inside it.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// u with its dims in reverse order in memory, and a nan after each element
Tensor strided_with_gaps(const Tensor& u);
// `value` everywhere: one element with strides of 0, and nan after it
Tensor expanded_with_gaps(double value, const Dims& shape, DType dtype);

}  // namespace slope
