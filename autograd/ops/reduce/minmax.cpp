// Largest and smallest elements; nan if any element is. amax, amin, max(x) and min(x) share the
// gradient among equal extremes; max(x, dim) and min(x, dim) give it to the first. argmax and
// argmin are the positions alone. Errors name the function that was called (`name`).
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace {

constexpr Definition amax_definition{
    "y = max x, over dims", "dx = g m / sum m, m = 1 where x = y (or both are nan), else 0"};
constexpr Definition amin_definition{
    "y = min x, over dims", "dx = g m / sum m, m = 1 where x = y (or both are nan), else 0"};

Grads share_evenly(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const Dims &dims = s.dims("dims"), &shape = x.shape();
  const Tensor y = with_dims(s, s.output().detach(), shape);
  const Tensor m = to(logical_or(x.detach() == y, isnan(x.detach())), x.dtype());
  return {with_dims(s, g, shape) * (m / (dims.empty() ? m : sum(m, dims, keepdim)))};
}

constexpr Definition max_definition{"y, i = max x and its position, over dim",
                                    "dx = g at position i, else 0"};
constexpr Definition min_definition{"y, i = min x and its position, over dim",
                                    "dx = g at position i, else 0"};

Grads to_position(const Saved& s, const Tensor& g) {
  const Dims& shape = s.dims("shape");
  if (shape.empty()) return {g};
  const int64_t dim = s.integer("dim");
  const Dims kept = reduced_shape(shape, {dim}, keepdim);
  return {scatter_add(zeros(shape, g.dtype()), dim, s.extra().reshape(kept), g.reshape(kept))};
}

template <class Better>
ValuesAndIndices find(const char* name, const Tensor& x, int64_t d, bool keep, const Op& op,
                      Better better) {
  if (x.dtype() == boolean) {
    const auto [values, indices] = find(name, to(x, i64), d, keep, op, better);
    return {to(values, boolean), indices};
  }
  const int64_t dim = wrap_dim(d, x.rank(), name);
  const AxisSplit split(x.shape(), dim);
  SLOPE_CHECK_SHAPE(split.n > 0, "{}: nothing to take the extreme of: shape {}, dim {}", name,
                    x.shape(), dim);
  const Dims shape = x.rank() == 0 ? Dims{} : reduced_shape(x.shape(), {dim}, keep);
  const Tensor values = Tensor::empty(shape, x.dtype()), indices = Tensor::empty(shape, i64);
  const Tensor source = x.is_contiguous() ? x.detach() : contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const T* from = source.data<T>();
    const auto value = values.write<T>();
    const auto index = indices.write<int64_t>();
    for_lines(split, 1 << 15, [&](int64_t i, int64_t first, int64_t step) {
      const T* row = from + first;
      int64_t best = 0;
      for (int64_t k = 1; k < split.n && row[best * step] == row[best * step]; ++k) {
        const T v = row[k * step];
        if (better(v, row[best * step]) || v != v) best = k;
      }
      value[i] = row[best * step];
      index[i] = best;
    });
  });
  const Tensors y =
      op.record(Tensors{values, indices}, {x}, {{"dim", dim}, {"shape", x.shape()}}, {indices});
  return {y[0], y[1]};
}

// `reduce` is reduce_max or reduce_min.
Tensor extreme(const char* name, const Tensor& x, const Dims& list, bool keep, const Op& op,
               Tensor (*reduce)(const Tensor&, const Dims&, bool, const char*)) {
  if (x.dtype() == boolean) return to(extreme(name, to(x, i64), list, keep, op, reduce), boolean);
  const Dims dims = wrap_dims(list, x.rank(), name);
  return op.record(reduce(x, dims, keep, name), {x}, {{"dims", dims}});
}

void check_not_empty(const char* name, const Tensor& x) {
  for (int64_t d = 0; d < x.rank(); ++d)
    SLOPE_CHECK_SHAPE(x.size(d) > 0, "{}: nothing to take the extreme of: shape {}, dim {}", name,
                      x.shape(), d);
}

}  // namespace

namespace ops {
extern const Op amax{.name = "amax",
                     .signature = "(*) -> (*)",
                     .definition = amax_definition,
                     .saves = saves_input(0) | saves_output,
                     .formula = share_evenly};
extern const Op amin{.name = "amin",
                     .signature = "(*) -> (*)",
                     .definition = amin_definition,
                     .saves = saves_input(0) | saves_output,
                     .formula = share_evenly};
extern const Op max{.name = "max",
                    .signature = "(*) -> (*), (*)",
                    .definition = max_definition,
                    .formula = to_position};
extern const Op min{.name = "min",
                    .signature = "(*) -> (*), (*)",
                    .definition = min_definition,
                    .formula = to_position};
}  // namespace ops

Tensor amax(const Tensor& x, const Dims& list, bool keep) {
  return extreme("amax", x, list, keep, ops::amax, reduce_max);
}
Tensor amin(const Tensor& x, const Dims& list, bool keep) {
  return extreme("amin", x, list, keep, ops::amin, reduce_min);
}
Tensor max(const Tensor& x) { return extreme("max", x, {}, false, ops::amax, reduce_max); }
Tensor min(const Tensor& x) { return extreme("min", x, {}, false, ops::amin, reduce_min); }
ValuesAndIndices max(const Tensor& x, int64_t dim, bool keep) {
  return find("max", x, dim, keep, ops::max, std::greater());
}
ValuesAndIndices min(const Tensor& x, int64_t dim, bool keep) {
  return find("min", x, dim, keep, ops::min, std::less());
}
Tensor argmax(const Tensor& x, int64_t dim, bool keep) {
  return find("argmax", x.detach(), dim, keep, ops::max, std::greater()).indices;
}
Tensor argmin(const Tensor& x, int64_t dim, bool keep) {
  return find("argmin", x.detach(), dim, keep, ops::min, std::less()).indices;
}
Tensor argmax(const Tensor& x) {
  check_not_empty("argmax", x);
  return argmax(x.reshape({-1}), 0);
}
Tensor argmin(const Tensor& x) {
  check_not_empty("argmin", x);
  return argmin(x.reshape({-1}), 0);
}

}  // namespace slope
