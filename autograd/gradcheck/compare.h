// Compares backward's gradients of one leaf with finite differences, element by element.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/forward.h>

namespace slope {

// analytic[k]: d<u_k, y_k> / d leaf for output y_k with cotangent u_k; undefined if the tape does
// not reach the leaf. If y_k changes with the leaf all the same, where_cut() is called to say where
// the tape is cut.
void compare(const Forward& forward, const NamedTensor& leaf, int64_t leaf_index,
             const Tensors& analytic, const std::function<std::string()>& where_cut,
             const GradcheckOptions& options, GradcheckReport& report);

}  // namespace slope
