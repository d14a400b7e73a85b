// Rows of a tensor by their numbers: picked, and the reverse, added to. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

// Every index is in [0, size), or IndexError; a contiguous copy of the indices.
Tensor checked_index(const char* op, const Tensor& index, int64_t size);

// y (outer, n, inner) = x (outer, size, inner) at index (n)
Tensor pick_rows(const Tensor& x, const AxisSplit& split, const Tensor& index, const Dims& shape);

// To row v of dx (outer, size, inner) are added, in order, the rows k of g (outer, n, inner) with
// index_k = v, but nothing to row `skip`. `is_new`: dx has no values yet.
void add_rows(const Tensor& g, const AxisSplit& split, const Tensor& index, const Tensor& dx,
              bool is_new, int64_t skip = -1);

// Index (n) spread over the shape of what it picked: for gather and scatter_add.
Tensor spread(const Tensor& index, int64_t dim, const Dims& shape);

}  // namespace slope
