// Operations along one dim, as contiguous rows of n elements. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>

#include <concepts>
#include <tuple>

namespace slope {

// Returns x itself if it is contiguous.
inline Tensor contiguous_values(const Tensor& x) {
  return x.is_contiguous() ? x : contiguous_copy(x);
}

// Rows of n elements in a chunk of parallel_for.
inline int64_t rows_per_chunk(int64_t n) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(n, 1));
}

// x's values with `dim` and the last dim exchanged, contiguous; and the inverse.
inline Tensor to_rows(const Tensor& x, int64_t dim) {
  if (x.rank() == 0 || dim == x.rank() - 1) return contiguous_values(x);
  return contiguous_copy(Tensor(x.storage(), x.layout().transpose(dim, -1), x.dtype()));
}
inline Tensor from_rows(const Tensor& rows, int64_t dim) {
  if (rows.rank() == 0 || dim == rows.rank() - 1) return rows;
  return contiguous_copy(Tensor(rows.storage(), rows.layout().transpose(dim, -1), rows.dtype()));
}

// f(rows, n, offset of the first) over chunks of the rows of x, whose last dim is n.
template <class F>
void for_rows(const Tensor& x, F&& f) {
  const int64_t n = x.rank() == 0 ? 1 : x.size(-1);
  parallel_for(n == 0 ? 0 : x.numel() / n, rows_per_chunk(n),
               [&](int64_t begin, int64_t end) { f(end - begin, n, begin * n); });
}

// y has the common shape of the xs; f(rows, n, x…, y) fills chunks of rows along dim.
//   map_rows("softmax", dim, []<class T>(int64_t rows, int64_t n, const T* x, T* y) { … }, x)
template <class F, std::same_as<Tensor>... X>
Tensor map_rows(const char* op, int64_t dim, const F& f, const X&... xs) {
  const auto filled = [&](const X&... x) {
    const Tensor& first = std::get<0>(std::tie(x...));
    const Tensor y = Tensor::empty(first.shape(), first.dtype());
    visit_floating(y.dtype(), op, [&]<class T> {
      const auto out = y.write<T>();
      for_rows(y, [&](int64_t rows, int64_t n, int64_t at) {
        f(rows, n, x.template data<T>() + at..., out + at);
      });
    });
    return y;
  };
  return from_rows(filled(to_rows(xs, dim)...), dim);
}

}  // namespace slope
