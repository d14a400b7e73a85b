// Holds what backward says of one leaf against differences, element by element.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/numeric/forward.h>

namespace slope {

// analytic[k]: d<u_k, y_k> / d leaf; undefined where the tape does not reach it
void compare(const Forward& forward, const NamedTensor& leaf, int64_t leaf_index,
             const Tensors& analytic, const std::function<std::string()>& where_cut,
             const GradcheckOptions& options, GradcheckReport& report);

}  // namespace slope
