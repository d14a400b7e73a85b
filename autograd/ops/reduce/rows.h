// What the fused operations over rows share. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>

namespace slope {

// x itself where it is contiguous.
inline Tensor contiguous_values(const Tensor& x) {
  return x.is_contiguous() ? x : contiguous_copy(x);
}

// Rows of n elements in a chunk of parallel_for.
inline int64_t rows_per_chunk(int64_t n) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1));
}

// x's values with `dim` as the last, contiguous; and the way back.
inline Tensor to_rows(const Tensor& x, int64_t dim) {
  if (x.rank() == 0 || dim == x.rank() - 1) return contiguous_values(x);
  return contiguous_copy(Tensor(x.storage(), x.layout().transpose(dim, -1), x.dtype()));
}
inline Tensor from_rows(const Tensor& rows, int64_t dim) {
  if (rows.rank() == 0 || dim == rows.rank() - 1) return rows;
  return contiguous_copy(Tensor(rows.storage(), rows.layout().transpose(dim, -1), rows.dtype()));
}

// f(rows, n, first element) over chunks of the rows of x, whose last dim is n.
template <class F>
void for_rows(const Tensor& x, F&& f) {
  const int64_t n = x.rank() == 0 ? 1 : x.size(-1);
  parallel_for(n == 0 ? 0 : x.numel() / n, rows_per_chunk(n),
               [&](int64_t begin, int64_t end) { f(end - begin, n, begin * n); });
}

}  // namespace slope
