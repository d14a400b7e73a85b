// Do tensors share an element? If so, nudging it changes both. Views of one storage need not share
// any: the columns of a matrix are interleaved in memory but distinct.
#pragma once

#include <slope/core/tensor/named_tensor.h>

namespace slope {

bool overlap(const Tensor& a, const Tensor& b);
bool overlaps_itself(const Tensor& x);  // two indices, one element: expanded, or a sliding window

// Throws Unfit if an input that requires a gradient, and so is moved, overlaps itself or another.
void check_overlaps(const NamedTensors& inputs);

}  // namespace slope
