// Picking by index. The derivative of picking is adding back: repeated indices add, in the order in
// which they appear.
#include <slope/autograd/ops/product/gradient_sum.h>
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/elementwise/elementwise.h>

#include <algorithm>

namespace slope {

namespace {

// Every index lies in [0, size), or IndexError; a contiguous copy of the indices.
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

// y (outer, n, inner) = x (outer, size, inner) at index (n)
Tensor pick_rows(const Tensor& given, const Around& around, const Tensor& index,
                 const Dims& shape) {
  const Tensor x = given.is_contiguous() ? given : contiguous_copy(given);
  Tensor y = Tensor::empty(shape, x.dtype());
  const int64_t n = index.numel(), inner = around.inner, size = around.n;
  const int64_t* i = index.data<int64_t>();
  visit(x.dtype(), [&]<class T> {
    const T* from = x.data<T>();
    const auto out = y.write<T>();
    T* to = out;
    parallel_for(around.outer * n, rows_per_chunk(inner), [=](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        std::copy_n(from + (r / n * size + i[r % n]) * inner, inner, to + r * inner);
    });
  });
  return y;
}

// To row v of dx (outer, size, inner) are added, in order, the rows k of g (outer, n, inner) with
// index_k = v; but nothing to row `skip`. Positions are sorted by index first (counting), so that
// every row of dx is written by one thread. `is_new`: dx is yet to be written.
void add_rows(const Tensor& given, const Around& around, const Tensor& index, const Tensor& dx,
              bool is_new, int64_t skip = -1) {
  const Tensor g = given.is_contiguous() ? given : contiguous_copy(given);
  const int64_t n = index.numel(), inner = around.inner, size = around.n;
  const int64_t* i = index.data<int64_t>();
  const Tensor starts = zeros({size + 1}, i64), positions = Tensor::empty({n}, i64);
  int64_t* start = starts.write<int64_t>();
  int64_t* position = positions.write<int64_t>();
  for (int64_t k = 0; k < n; ++k) ++start[i[k]];
  for (int64_t v = 0, total = 0; v <= size; ++v) total += std::exchange(start[v], total);
  for (int64_t k = 0; k < n; ++k) position[start[i[k]]++] = k;  // start[v] is now where row v ends
  visit_floating(g.dtype(), "index", [&]<class T> {
    const T* from = g.data<T>();
    const auto out = dx.write<T>();
    T* to = out;
    const auto add = kernels<Accumulate<T>>().add;
    parallel_for(around.outer * size, std::max<int64_t>(1, rows_per_chunk(inner) / 4),
                 [=](int64_t begin, int64_t end) {
                   for (int64_t r = begin; r < end; ++r) {
                     const int64_t v = r % size, first = v == 0 ? 0 : start[v - 1],
                                   behind = v == skip ? first : start[v];
                     T* row = to + r * inner;
                     if (is_new) std::fill_n(row, inner, T(0));
                     for (int64_t k = first; k < behind; ++k)
                       add(inner, from + (r / size * n + position[k]) * inner, 1, row, 1);
                   }
                 });
  });
}

Grads index_select_kernel(const Saved& s, const Tensor& g) {
  const Tensor dx = Tensor::empty(s.input_shape(), g.dtype());
  add_rows(g, Around(s.input_shape(), s.integer("dim")), s.extra(), dx, true);
  return Grads{dx, Tensor()};
}

// A table that has another use, as the output projection, has a gradient already: only the rows
// that were picked are touched.
Grads embedding_kernel(const Saved& s, const Tensor& g) {
  const GradientSum d(s, 1, s.input_shape(1), g.dtype());
  add_rows(g, Around(s.input_shape(1), 0), s.extra(), d.tensor, !d.adds, s.integer("padding_idx"));
  return Grads{Tensor(), d.result()};
}

// Index (n) spread over the shape of what it picked: for gather and scatter_add.
Tensor spread(const Tensor& index, int64_t dim, const Dims& shape) {
  Dims place(shape.size(), 1);
  if (place.empty()) return reshape(index, {});
  place[static_cast<size_t>(dim)] = index.numel();
  return expand(reshape(index, place), shape);
}

}  // namespace

namespace ops {

extern const Op index_select{.name = "index_select",
                             .signature = "(*), (n) -> (*)",
                             .formula =
                                 [](const Saved& s, const Tensor& g) {
                                   const int64_t dim = s.integer("dim");
                                   return Grads{
                                       slope::scatter_add(zeros(s.input_shape(), g.dtype()), dim,
                                                          spread(s.extra(), dim, g.shape()), g),
                                       Tensor()};
                                 },
                             .kernel = index_select_kernel};

// y = weight[index]; the row of padding_idx gets no gradient.
extern const Op embedding{
    .name = "embedding",
    .signature = "(*), (V, d) -> (*, d)",
    .formula =
        [](const Saved& s, const Tensor& g) {
          const Tensor index = reshape(s.extra(), {-1});
          const Tensor is_padding =
              unsqueeze(index == static_cast<double>(s.integer("padding_idx")), 1);
          const Tensor rows = masked_fill(reshape(g, {index.numel(), g.size(-1)}), is_padding, 0);
          return Grads{Tensor(), slope::scatter_add(zeros(s.input_shape(1), g.dtype()), 0,
                                                    spread(index, 0, rows.shape()), rows)};
        },
    .kernel = embedding_kernel};

extern const Op gather{.name = "gather",
                       .signature = "(*), (*) -> (*)",
                       .formula = [](const Saved& s, const Tensor& g) {
                         return Grads{slope::scatter_add(zeros(s.input_shape(), g.dtype()),
                                                         s.integer("dim"), s.extra(), g),
                                      Tensor()};
                       }};

//   dx = g      dsource = g at the index; what of the source no index names gets 0
extern const Op scatter_add{.name = "scatter_add",
                            .signature = "(*), (*), (*) -> (*)",
                            .formula = [](const Saved& s, const Tensor& g) {
                              Grads grads{g, Tensor(), Tensor()};
                              if (!s.needs(2)) return grads;
                              const Tensor picked = slope::gather(g, s.integer("dim"), s.extra());
                              const Dims& source = s.input_shape(2);
                              Dims widths;
                              for (size_t d = source.size(); d-- > 0;) {
                                widths.push_back(0);
                                widths.push_back(source[d] - picked.shape()[d]);
                              }
                              grads[2] = picked.shape() == source ? picked : pad(picked, widths);
                              return grads;
                            }};

}  // namespace ops

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  SLOPE_CHECK_SHAPE(index.rank() <= 1, "index_select: the index must be a list, got shape {}",
                    index.shape());
  dim = wrap_dim(dim, x.rank(), "index_select");
  const Around around(x.shape(), dim);
  const Tensor at = checked_index("index_select", index, around.n);
  Dims shape = x.shape();
  if (x.rank() > 0)
    shape[static_cast<size_t>(dim)] = index.numel();
  else
    SLOPE_CHECK_SHAPE(index.numel() == 1,
                      "index_select: a tensor of rank 0 gives one element, the index names {}",
                      index.numel());
  return ops::index_select.record(pick_rows(x, around, at, shape), {x, index}, {{"dim", dim}},
                                  {at});
}

Tensor embedding(const Tensor& index, const Tensor& weight, int64_t padding_idx) {
  ops::embedding.check({index, weight});
  const int64_t V = weight.size(0);
  SLOPE_CHECK_INDEX(padding_idx >= -1 && padding_idx < V,
                    "embedding: padding_idx {} is outside the {} rows of the weight", padding_idx,
                    V);
  const Tensor at = checked_index("embedding", index, V);
  Dims shape = index.shape();
  shape.push_back(weight.size(1));
  return ops::embedding.record(pick_rows(weight, Around(weight.shape(), 0), at, shape),
                               {index, weight}, {{"padding_idx", padding_idx}}, {at});
}

namespace {

// Walks the lines of index along dim, each with its first offset in up to three tensors; lines are
// independent of each other.
template <size_t N, class F>
void for_each_line(const Dims& shape, int64_t dim, const std::array<const Dims*, N>& strides,
                   F&& f) {
  if (numel(shape) == 0) return;
  Dims outer = shape;
  std::array<Dims, N> steps;
  for (size_t k = 0; k < N; ++k) steps[k] = *strides[k];
  if (!shape.empty()) outer[static_cast<size_t>(dim)] = 1;
  const int64_t lines = numel(outer), length = numel(shape) / lines;
  parallel_for(lines, std::max<int64_t>(1, 8192 / length), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      std::array<int64_t, N> at{};
      int64_t rest = line;
      for (size_t d = outer.size(); d-- > 0; rest /= outer[d])
        for (size_t k = 0; k < N; ++k) at[k] += rest % outer[d] * steps[k][d];
      f(at, length);
    }
  });
}

void check_covers(const char* op, const char* what, const Tensor& x, const Tensor& index,
                  int64_t except) {
  SLOPE_CHECK_SHAPE(x.rank() == index.rank(),
                    "{}: {} of shape {} and index of shape {} differ in rank", op, what, x.shape(),
                    index.shape());
  for (int64_t d = 0; d < x.rank(); ++d)
    SLOPE_CHECK_SHAPE(d == except || index.size(d) <= x.size(d),
                      "{}: index of shape {} is larger than {} of shape {} in dim {}", op,
                      index.shape(), what, x.shape(), d);
}

int64_t stride_of(const Tensor& x, int64_t dim) {
  return x.rank() == 0 ? 0 : x.strides()[static_cast<size_t>(dim)];
}

}  // namespace

// y_{i j k} = x_{i index_{ijk} k} for dim 1
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  dim = wrap_dim(dim, x.rank(), "gather");
  check_covers("gather", "input", x, index, dim);
  const Tensor at = checked_index("gather", index, x.rank() == 0 ? 1 : x.size(dim));
  Tensor y = Tensor::empty(index.shape(), x.dtype());
  const int64_t along_x = stride_of(x, dim), along = stride_of(at, dim);
  visit(x.dtype(), [&]<class T> {
    const T* from = x.data<T>();
    const int64_t* i = at.data<int64_t>();
    const auto out = y.write<T>();
    T* to = out;
    for_each_line<2>(index.shape(), dim, {&at.strides(), &x.strides()},
                     [=](const auto& line, int64_t n) {
                       for (int64_t k = 0; k < n; ++k)
                         to[line[0] + k * along] = from[line[1] + i[line[0] + k * along] * along_x];
                     });
  });
  return ops::gather.record(y, {x, index}, {{"dim", dim}}, {at});
}

// y = x, then y_{i index_{ijk} k} += source_{ijk} for dim 1, in order of j
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = wrap_dim(dim, x.rank(), "scatter_add");
  check_covers("scatter_add", "input", x, index, dim);
  check_covers("scatter_add", "source", source, index, -1);
  SLOPE_CHECK_DTYPE(x.dtype() == source.dtype(), "scatter_add: input is {}, source {}",
                    name(x.dtype()), name(source.dtype()));
  const Tensor at = checked_index("scatter_add", index, x.rank() == 0 ? 1 : x.size(dim));
  Tensor y = contiguous_copy(x);
  const int64_t along_y = stride_of(y, dim), along = stride_of(at, dim),
                along_source = stride_of(source, dim);
  visit(x.dtype(), [&]<class T> {
    const T* from = source.data<T>();
    const int64_t* i = at.data<int64_t>();
    const auto out = y.write<T>();
    T* to = out;
    for_each_line<3>(index.shape(), dim, {&at.strides(), &y.strides(), &source.strides()},
                     [=](const auto& line, int64_t n) {
                       for (int64_t k = 0; k < n; ++k) {
                         T& sum = to[line[1] + i[line[0] + k * along] * along_y];
                         sum = static_cast<T>(sum + from[line[2] + k * along_source]);
                       }
                     });
  });
  return ops::scatter_add.record(y, {x, index, source}, {{"dim", dim}}, {at});
}

}  // namespace slope
