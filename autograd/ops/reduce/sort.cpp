// Order along one dim: topk, sort. Stable: equal elements stay in order of index; nan counts as the
// largest.
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <numeric>

namespace slope {

namespace {

template <class T>
bool less(T a, T b) {
  return a < b || (a == a && b != b);
}

// order: the indices 0 … n - 1 of a line's elements (`step` apart in memory), the first k sorted.
template <class T>
void order_line(const T* line, int64_t n, int64_t step, int64_t k, bool descending,
                int64_t* order) {
  std::iota(order, order + n, int64_t{0});
  std::partial_sort(order, order + k, order + n, [&](int64_t a, int64_t b) {
    const T u = line[a * step], v = line[b * step];
    if (less(u, v)) return !descending;
    if (less(v, u)) return descending;
    return a < b;
  });
}

// The first k of each sorted line, as indices (…, k, …) along dim.
Tensor positions(const Tensor& x, int64_t k, int64_t dim, bool descending) {
  const AxisSplit split(x.shape(), dim);
  Dims shape = x.shape();
  if (!shape.empty()) shape[static_cast<size_t>(dim)] = k;
  const Tensor y = Tensor::empty(shape, i64), source = x.is_contiguous() ? x : contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const T* from = source.data<T>();
    const auto out = y.write<int64_t>();
    const int64_t n = split.n, inner = split.inner;
    parallel_for(split.lines(), std::max<int64_t>(1, 2048 / std::max<int64_t>(n, 1)),
                 [&](int64_t begin, int64_t end) {
                   const Tensor scratch = Tensor::empty({n}, i64);
                   const auto order = scratch.write<int64_t>();
                   for (int64_t i = begin; i < end; ++i) {
                     order_line<T>(from + split.line(i), n, inner, k, descending, order);
                     int64_t* to = out + (i / inner * k * inner + i % inner);
                     for (int64_t j = 0; j < k; ++j) to[j * inner] = order[j];
                   }
                 });
  });
  return y;
}

ValuesAndIndices take(const Tensor& x, int64_t k, int64_t dim, bool descending) {
  const Tensor indices = positions(x, k, dim, descending);
  return {x.rank() == 0 ? x.clone() : gather(x, dim, indices), indices};
}

}  // namespace

ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t d, bool largest) {
  const int64_t dim = wrap_dim(d, x.rank(), "topk"), n = x.rank() == 0 ? 1 : x.size(dim);
  SLOPE_CHECK_INDEX(k >= 0 && k <= n,
                    "topk: k = {} must be from 0 to {}, the size of dim {} of shape {}", k, n, dim,
                    x.shape());
  if (x.rank() == 0 && k == 0) return {Tensor::empty({0}, x.dtype()), Tensor::empty({0}, i64)};
  return take(x, k, dim, largest);
}

ValuesAndIndices sort(const Tensor& x, int64_t d, bool descending) {
  const int64_t dim = wrap_dim(d, x.rank(), "sort");
  return take(x, x.rank() == 0 ? 1 : x.size(dim), dim, descending);
}

}  // namespace slope
