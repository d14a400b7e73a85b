// Picks rows of a tensor by index and (the adjoint) adds to them. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops/reduce/reduction.h>

namespace slope {

// Returns the indices, contiguous; IndexError unless all are in [0, size).
Tensor checked_index(const char* op, const Tensor& index, int64_t size);

// y (outer, n, inner) = x (outer, size, inner) at index (n)
Tensor pick_rows(const Tensor& x, const AxisSplit& split, const Tensor& index, const Dims& shape);

// Adds to each row v of dx (outer, size, inner), except row `skip`, the rows k of g (outer, n,
// inner) with index_k = v, in order. `is_new`: dx has no values yet.
void add_rows(const Tensor& g, const AxisSplit& split, const Tensor& index, const Tensor& dx,
              bool is_new, int64_t skip = -1);

// Index (n) expanded to the shape of the picked values, for gather and scatter_add.
Tensor spread(const Tensor& index, int64_t dim, const Dims& shape);

}  // namespace slope
