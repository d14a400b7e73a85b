// Reductions over dims, without history. Long ones run in chunks that depend on the shape alone,
// whose results are reduced again: a fixed tree, so the same bits for any number of threads.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// An empty list of dims means all. Whole numbers and bools sum to i64; the others keep their dtype.
Tensor reduce_sum(const Tensor& x, const Dims& dims, bool keep, const char* op = "sum");
// ShapeError where there is nothing to take
Tensor reduce_max(const Tensor& x, const Dims& dims, bool keep, const char* op = "amax");
Tensor reduce_min(const Tensor& x, const Dims& dims, bool keep, const char* op = "amin");

// x's shape without `dims` (as wrap_dims gives them), or with 1 in their places.
Dims reduced_shape(const Dims& shape, const Dims& dims, bool keep);

}  // namespace slope
