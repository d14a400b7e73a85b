// gather picks by an index for each element; scatter_add is its adjoint. Equal indices add in the
// order in which they appear.
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/autograd/ops/shape/rows_by_index.h>
#include <slope/core/loops/modular.h>

#include <array>

namespace slope {

namespace {

constexpr Definition gather_definition{"y_ijk = x_{i index_ijk k}, for dim 1",
                                       "dx_{i index_ijk k} += g_ijk"};
Grads gather_formula(const Saved& s, const Tensor& g) {
  const Tensor dx = zeros(s.input_shape(), g.dtype());
  return {scatter_add(dx, s.integer("dim"), s.extra(), g), Tensor()};
}

constexpr Definition scatter_add_definition{
    "y = x, then y_{i index_ijk k} += source_ijk, for dim 1",
    "dx = g, dsource_ijk = g_{i index_ijk k}, 0 where the source has no index"};
Grads scatter_add_formula(const Saved& s, const Tensor& g) {
  if (!s.needs(2)) return {g, Tensor(), Tensor()};
  const Tensor picked = gather(g, s.integer("dim"), s.extra());
  const Dims& source = s.input_shape(2);
  Dims widths;
  for (size_t d = source.size(); d-- > 0;) {
    widths.push_back(0);
    widths.push_back(source[d] - picked.shape()[d]);
  }
  return {g, Tensor(), picked.shape() == source ? picked : pad(picked, widths)};
}

// Calls f(offsets of the line's first element in N tensors, length) for each line of index along
// dim. Lines run in parallel.
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

namespace ops {
extern const Op gather{.name = "gather",
                       .signature = "(*), (*) -> (*)",
                       .definition = gather_definition,
                       .formula = gather_formula};
extern const Op scatter_add{.name = "scatter_add",
                            .signature = "(*), (*), (*) -> (*)",
                            .definition = scatter_add_definition,
                            .formula = scatter_add_formula};
}  // namespace ops

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  dim = wrap_dim(dim, x.rank(), "gather");
  check_covers("gather", "input", x, index, dim);
  const Tensor at = checked_index("gather", index, x.rank() == 0 ? 1 : x.size(dim));
  const Tensor y = Tensor::empty(index.shape(), x.dtype());
  const int64_t along_x = stride_of(x, dim), along = stride_of(at, dim);
  visit(x.dtype(), [&]<class T> {
    const T* from = x.data<T>();
    const int64_t* i = at.data<int64_t>();
    const auto out = y.write<T>();
    for_each_line<2>(
        index.shape(), dim, {&at.strides(), &x.strides()}, [&](const auto& line, int64_t n) {
          for (int64_t k = 0; k < n; ++k)
            out[line[0] + k * along] = from[line[1] + i[line[0] + k * along] * along_x];
        });
  });
  return ops::gather.record(y, {x, index}, {{"dim", dim}}, {at});
}

Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  dim = wrap_dim(dim, x.rank(), "scatter_add");
  check_covers("scatter_add", "input", x, index, dim);
  check_covers("scatter_add", "source", source, index, -1);
  SLOPE_CHECK_DTYPE(x.dtype() == source.dtype(),
                    "scatter_add: dtypes differ: input {}, source {}; convert one with to()",
                    name(x.dtype()), name(source.dtype()));
  const Tensor at = checked_index("scatter_add", index, x.rank() == 0 ? 1 : x.size(dim));
  const Tensor y = contiguous_copy(x);
  const int64_t along_y = stride_of(y, dim), along = stride_of(at, dim),
                along_source = stride_of(source, dim);
  visit(x.dtype(), [&]<class T> {
    const T* from = source.data<T>();
    const int64_t* i = at.data<int64_t>();
    const auto out = y.write<T>();
    for_each_line<3>(
        index.shape(), dim, {&at.strides(), &y.strides(), &source.strides()},
        [&](const auto& line, int64_t n) {
          for (int64_t k = 0; k < n; ++k) {
            T& sum = out[line[1] + i[line[0] + k * along] * along_y];
            sum = static_cast<T>(modular(sum) + modular(from[line[2] + k * along_source]));
          }
        });
  });
  return ops::scatter_add.record(y, {x, index, source}, {{"dim", dim}}, {at});
}

}  // namespace slope
