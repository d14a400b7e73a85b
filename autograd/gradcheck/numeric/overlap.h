// Do tensors share an element? Nudging it would then change both. Views of one storage need not:
// columns of a matrix lie between one another and share nothing.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

bool overlap(const Tensor& a, const Tensor& b);
bool overlaps_itself(const Tensor& x);  // two indices, one element: expanded, or a sliding window

}  // namespace slope
