#include <slope/autograd/ops/reduce/rows.h>
#include <slope/autograd/ops/shape/rows_by_index.h>
#include <slope/core/kernels/elementwise/elementwise.h>

#include <algorithm>

namespace slope {

Tensor checked_index(const char* op, const Tensor& index, int64_t size) {
  SLOPE_CHECK_DTYPE(index.dtype() == i64, "{}: indices must be int64, got {}", op,
                    name(index.dtype()));
  const Tensor flat = index.is_contiguous() ? index : contiguous_copy(index);
  const int64_t* i = flat.data<int64_t>();
  for (int64_t k = 0; k < flat.numel(); ++k)
    SLOPE_CHECK_INDEX(i[k] >= 0 && i[k] < size,
                      "{}: index {} at position {} is out of range [0, {})", op, i[k], k, size);
  return flat;
}

Tensor pick_rows(const Tensor& x0, const AxisSplit& split, const Tensor& index, const Dims& shape) {
  const Tensor x = x0.is_contiguous() ? x0 : contiguous_copy(x0);
  const Tensor y = Tensor::empty(shape, x.dtype());
  const int64_t n = index.numel(), inner = split.inner, size = split.n;
  const int64_t* i = index.data<int64_t>();
  visit(x.dtype(), [&]<class T> {
    const T* from = x.data<T>();
    const auto out = y.write<T>();
    parallel_for(split.outer * n, rows_per_chunk(inner), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        std::copy_n(from + (r / n * size + i[r % n]) * inner, inner, out + r * inner);
    });
  });
  return y;
}

// Sorts the positions by index (counting sort), so that one thread adds all that a row of dx gets.
void add_rows(const Tensor& g0, const AxisSplit& split, const Tensor& index, const Tensor& dx,
              bool is_new, int64_t skip) {
  const Tensor g = g0.is_contiguous() ? g0 : contiguous_copy(g0);
  const int64_t n = index.numel(), inner = split.inner, size = split.n;
  const int64_t* i = index.data<int64_t>();
  const Tensor starts = zeros({size + 1}, i64), positions = Tensor::empty({n}, i64);
  const auto start = starts.write<int64_t>();
  const auto position = positions.write<int64_t>();
  for (int64_t k = 0; k < n; ++k) ++start[i[k]];
  for (int64_t v = 0, total = 0; v <= size; ++v) total += std::exchange(start[v], total);
  for (int64_t k = 0; k < n; ++k) position[start[i[k]]++] = k;  // start[v] is now where row v ends
  visit_floating(g.dtype(), "index", [&]<class T> {
    const T* from = g.data<T>();
    const auto out = dx.write<T>();
    const auto add = kernels<Accumulate<T>>().add;
    parallel_for(split.outer * size, std::max<int64_t>(1, rows_per_chunk(inner) / 4),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     const int64_t v = r % size, first = v == 0 ? 0 : start[v - 1],
                                   stop = v == skip ? first : start[v];
                     T* row = out + r * inner;
                     if (is_new) std::fill_n(row, inner, T(0));
                     for (int64_t k = first; k < stop; ++k)
                       add(inner, from + (r / size * n + position[k]) * inner, 1, row, 1);
                   }
                 });
  });
}

Tensor spread(const Tensor& index, int64_t dim, const Dims& shape) {
  Dims place(shape.size(), 1);
  if (place.empty()) return reshape(index, {});
  place[static_cast<size_t>(dim)] = index.numel();
  return expand(reshape(index, place), shape);
}

}  // namespace slope
