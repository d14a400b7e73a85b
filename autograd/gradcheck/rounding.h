// By how much rounding changes the gradients of a backward pass: more than their last digits where
// terms cancel.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <functional>
#include <vector>

namespace slope {

Tensor scaled(double c, const Tensor& u);  // c u, in a row

// For each leaf what G(c u) and c G(u) differ by, with `pass`(c) = G(c u) and c near 1: hardly an
// element differs by more. Of a rule that is not linear, such as one that clips, they differ by
// about (c - 1) G(u), which is little.
std::vector<double> rounding_of(const std::function<Tensors(double c)>& pass, bool rounds_to_bf16);

}  // namespace slope
