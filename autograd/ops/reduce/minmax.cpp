// Largest and smallest elements. A nan wins.
//   amax, amin, and max(x), min(x): equal extremes share the gradient evenly
//   max(x, dim), min(x, dim): values and positions; the first of equal ones takes the gradient
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>

namespace slope {

namespace {

// m = 1 where x is the extreme y (or both are nan), dx = g m / sum m
Grads share_evenly(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const Dims &dims = s.dims("dims"), &shape = x.shape();
  const Tensor y = with_dims(s, s.output().detach(), shape);
  const Tensor m = to(logical_or(x.detach() == y, isnan(x.detach())), x.dtype());
  return {with_dims(s, g, shape) * (m / (dims.empty() ? m : sum(m, dims, keepdim)))};
}

// dx = g at the position taken, 0 elsewhere
Grads to_position(const Saved& s, const Tensor& g) {
  const Tensor index = s.extra();
  const Dims& shape = s.dims("shape");
  const Tensor dx = zeros(shape, g.dtype());
  const int64_t dim = s.integer("dim");
  if (shape.empty()) return {g};
  const Dims kept = reduced_shape(shape, {dim}, keepdim);
  return {scatter_add(dx, dim, index.reshape(kept), g.reshape(kept))};
}

template <class Better>
ValuesAndIndices find(const Tensor& x, int64_t d, bool keep, const Op& op, Better better) {
  SLOPE_CHECK_DTYPE(x.dtype() != boolean, "{}: needs numbers, got bool", op.name);
  const int64_t dim = wrap_dim(d, x.rank(), op.name);
  const Around around(x.shape(), dim);
  SLOPE_CHECK_SHAPE(around.n > 0, "{}: nothing to take the extreme of: shape {}, dim {}", op.name,
                    x.shape(), dim);
  const Dims shape = x.rank() == 0 ? Dims{} : reduced_shape(x.shape(), {dim}, keep);
  Tensor values = Tensor::empty(shape, x.dtype()), indices = Tensor::empty(shape, i64);
  const Tensor source = x.is_contiguous() ? x.detach() : contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const T* px = source.data<T>();
    const auto out = values.write<T>();
    const auto out_index = indices.write<int64_t>();
    T* pv = out;
    int64_t* pi = out_index;
    const int64_t n = around.n, inner = around.inner;
    parallel_for(around.outer * inner, std::max<int64_t>(1, (1 << 15) / n),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const T* row = px + i / inner * n * inner + i % inner;
                     int64_t best = 0;
                     for (int64_t k = 1; k < n && row[best * inner] == row[best * inner]; ++k) {
                       const T v = row[k * inner];
                       if (better(v, row[best * inner]) || v != v) best = k;
                     }
                     pv[i] = row[best * inner];
                     pi[i] = best;
                   }
                 });
  });
  Tensors y =
      op.record(Tensors{values, indices}, {x}, {{"dim", dim}, {"shape", x.shape()}}, {indices});
  return {y[0], y[1]};
}

}  // namespace

namespace ops {
extern const Op amax{.name = "amax",
                     .signature = "(*) -> (*)",
                     .saves = saves_input(0) | saves_output,
                     .formula = share_evenly};
extern const Op amin{.name = "amin",
                     .signature = "(*) -> (*)",
                     .saves = saves_input(0) | saves_output,
                     .formula = share_evenly};
extern const Op max{.name = "max", .signature = "(*) -> (*), (*)", .formula = to_position};
extern const Op min{.name = "min", .signature = "(*) -> (*), (*)", .formula = to_position};
}  // namespace ops

Tensor amax(const Tensor& x, const Dims& list, bool keep) {
  const Dims dims = wrap_dims(list, x.rank(), "amax");
  return ops::amax.record(reduce_max(x, dims, keep, "amax"), {x}, {{"dims", dims}});
}
Tensor amin(const Tensor& x, const Dims& list, bool keep) {
  const Dims dims = wrap_dims(list, x.rank(), "amin");
  return ops::amin.record(reduce_min(x, dims, keep, "amin"), {x}, {{"dims", dims}});
}
Tensor max(const Tensor& x) { return amax(x); }
Tensor min(const Tensor& x) { return amin(x); }
ValuesAndIndices max(const Tensor& x, int64_t dim, bool keep) {
  return find(x, dim, keep, ops::max, std::greater());
}
ValuesAndIndices min(const Tensor& x, int64_t dim, bool keep) {
  return find(x, dim, keep, ops::min, std::less());
}

}  // namespace slope
