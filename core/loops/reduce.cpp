#include <slope/core/kernels/reduce/reduce.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/loops/reduce.h>

namespace slope {

namespace {

constexpr int64_t grain = 1 << 15, row_chunk = 4096, column_block = 1024;

int64_t divide_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// y (outer, inner) = fold over n of x (outer, n, inner); both contiguous, n >= 1.
template <class T>
void fold(const FoldLoops<T>& loops, const T* x, int64_t outer, int64_t n, int64_t inner, T* y) {
  const int64_t chunk = inner == 1 ? row_chunk : std::clamp<int64_t>(2 * grain / inner, 16, 256);
  const int64_t pieces = divide_up(n, chunk);
  Storage partial;
  T* to = y;
  if (pieces > 1) {
    partial = StorageImpl::allocate(outer * pieces * inner * static_cast<int64_t>(sizeof(T)));
    to = static_cast<T*>(partial->data());
  }
  const int64_t blocks = divide_up(inner, column_block);
  const int64_t cost = std::min(n, chunk) * std::min(inner, column_block);
  parallel_for(outer * pieces * blocks, std::max<int64_t>(1, grain / cost),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t o = i / (pieces * blocks), p = i / blocks % pieces, b = i % blocks;
                   const int64_t from = p * chunk, rows = std::min(chunk, n - from),
                                 column = b * column_block;
                   const T* start = x + (o * n + from) * inner + column;
                   if (inner == 1)
                     to[o * pieces + p] = loops.row(rows, start);
                   else
                     loops.columns(rows, inner, start, std::min(column_block, inner - column),
                                   to + (o * pieces + p) * inner + column);
                 }
               });
  if (pieces > 1) fold(loops, to, outer, pieces, inner, y);
}

// Neighbouring dims that are all reduced, or all kept, are merged into a group. Then the reduced
// groups are folded one by one, the last first.
template <class T>
Tensor reduce(const Tensor& x, const Dims& dims, bool keep, FoldLoops<T> Reduce<T>::*which) {
  Tensor y = Tensor::empty(reduced_shape(x.shape(), dims, keep), x.dtype());
  if (y.numel() == 0) return y;
  struct Group {
    int64_t size;
    bool reduced;
  };
  InlineVector<Group, 4> groups;
  size_t next = 0;
  for (size_t d = 0; d < x.shape().size(); ++d) {
    const bool reduced = next < dims.size() && dims[next] == static_cast<int64_t>(d);
    next += reduced;
    if (!groups.empty() && groups.back().reduced == reduced)
      groups.back().size *= x.shape()[d];
    else
      groups.push_back({x.shape()[d], reduced});
  }
  const FoldLoops<T>& loops = kernels<Reduce<T>>().*which;
  const Tensor source = x.is_contiguous() ? x : contiguous_copy(x);
  const T* from = source.template data<T>();
  Storage last_result;  // owns what `from` points to, after the first fold
  int64_t inner = 1, left = x.numel();
  int folds = 0;
  for (const Group& group : groups) folds += group.reduced && group.size != 1;
  const auto out = y.template write<T>();
  if (folds == 0) std::copy(from, from + left, out.get());
  for (size_t i = groups.size(); i-- > 0;) {
    const auto [size, reduced] = groups[i];
    if (!reduced) inner *= size;
    if (!reduced || size == 1) continue;
    const int64_t outer = left / (size * inner);
    left /= size;
    Storage result;
    T* to = out;
    if (--folds > 0) {
      result = StorageImpl::allocate(left * static_cast<int64_t>(sizeof(T)));
      to = static_cast<T*>(result->data());
    }
    fold(loops, from, outer, size, inner, to);
    from = to;
    last_result = std::move(result);
  }
  return y;
}

Tensor reduce_extreme(const Tensor& x, const Dims& list, const char* op, auto pick) {
  const Dims dims = wrap_dims(list, x.rank(), op);
  SLOPE_CHECK_DTYPE(x.dtype() != boolean, "{}: needs numbers, got bool", op);
  if (x.numel() == 0)
    for (int64_t d : dims)
      SLOPE_CHECK_SHAPE(x.shape()[static_cast<size_t>(d)] != 0,
                        "{}: nothing to take the extreme of: shape {}, dim {}", op, x.shape(), d);
  return pick(dims);
}

}  // namespace

Dims reduced_shape(const Dims& shape, const Dims& dims, bool keep) {
  Dims result;
  size_t next = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool reduced = next < dims.size() && dims[next] == static_cast<int64_t>(d);
    next += reduced;
    if (!reduced) result.push_back(shape[d]);
    if (reduced && keep) result.push_back(1);
  }
  return result;
}

Tensor reduce_sum(const Tensor& x, const Dims& list, bool keep, const char* op) {
  const Dims dims = wrap_dims(list, x.rank(), op);
  if (x.dtype() == boolean) return reduce_sum(contiguous_copy(x, i64), dims, keep, op);
  if (x.numel() == 0) {
    Tensor y = Tensor::empty(reduced_shape(x.shape(), dims, keep), x.dtype());
    fill(y, 0);
    return y;
  }
  if (x.dtype() == i64) return reduce<int64_t>(x, dims, keep, &Reduce<int64_t>::sum);
  return visit_floating(x.dtype(), op,
                        [&]<class T> { return reduce<T>(x, dims, keep, &Reduce<T>::sum); });
}

Tensor reduce_max(const Tensor& x, const Dims& list, bool keep, const char* op) {
  return reduce_extreme(x, list, op, [&](const Dims& dims) {
    if (x.dtype() == i64) return reduce<int64_t>(x, dims, keep, &Reduce<int64_t>::max);
    return visit_floating(x.dtype(), op,
                          [&]<class T> { return reduce<T>(x, dims, keep, &Reduce<T>::max); });
  });
}

Tensor reduce_min(const Tensor& x, const Dims& list, bool keep, const char* op) {
  return reduce_extreme(x, list, op, [&](const Dims& dims) {
    if (x.dtype() == i64) return reduce<int64_t>(x, dims, keep, &Reduce<int64_t>::min);
    return visit_floating(x.dtype(), op,
                          [&]<class T> { return reduce<T>(x, dims, keep, &Reduce<T>::min); });
  });
}

}  // namespace slope
