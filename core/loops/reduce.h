// Sum, maximum and minimum over dims, without gradients. A long reduction is cut into chunks, whose
// results are reduced again. The chunks depend only on the shape, so the bits are the same for any
// number of threads.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// An empty list of dims means all. Integers and bools sum to i64; other dtypes stay.
Tensor reduce_sum(const Tensor& x, const Dims& dims, bool keep, const char* op = "sum");
// ShapeError if a reduced dim has size 0: no element is the extreme.
Tensor reduce_max(const Tensor& x, const Dims& dims, bool keep, const char* op = "amax");
Tensor reduce_min(const Tensor& x, const Dims& dims, bool keep, const char* op = "amin");

// x's shape without `dims` (as wrap_dims returns them), or with 1 in their place.
Dims reduced_shape(const Dims& shape, const Dims& dims, bool keep);

}  // namespace slope
