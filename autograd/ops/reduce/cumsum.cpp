#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/modular.h>

#include <type_traits>

namespace slope {

namespace {

constexpr Definition cumsum_definition{"y_i = sum_{j <= i} x_j, along dim",
                                       "dx_j = sum_{i >= j} g_i: the same, from the end"};

enum class From { start, end };
Tensor cumsum_from(From from, const Tensor& x0, int64_t dim);

Grads cumsum_formula(const Saved& s, const Tensor& g) {
  const From opposite = s.integer("from_end") ? From::start : From::end;
  return {cumsum_from(opposite, g, s.integer("dim"))};
}

// Cumulative sums of y (outer, n, inner) along n, in place, 64 columns at a time; float and double
// are summed in double.
template <class T>
void sum_along(From from, T* y, const AxisSplit& split) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  constexpr int64_t together = 64;
  const int64_t n = split.n, inner = split.inner;
  const auto sum_columns = [=](T* rows, int64_t columns) {
    Sum sums[together];
    for (int64_t k = 0; k < n; ++k) {
      T* row = rows + (from == From::end ? n - 1 - k : k) * inner;
      for (int64_t j = 0; j < columns; ++j) {
        sums[j] = k == 0 ? static_cast<Sum>(row[j])
                         : static_cast<Sum>(modular(sums[j]) + modular(static_cast<Sum>(row[j])));
        row[j] = static_cast<T>(sums[j]);
      }
    }
  };
  parallel_for(split.outer, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, n * inner)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t o = begin; o < end; ++o)
                   for (int64_t first = 0; first < inner; first += together)
                     sum_columns(y + o * n * inner + first, std::min(together, inner - first));
               });
}

}  // namespace

namespace ops {
extern const Op cumsum{.name = "cumsum",
                       .signature = "(*) -> (*)",
                       .definition = cumsum_definition,
                       .formula = cumsum_formula};
}

namespace {

Tensor cumsum_from(From from, const Tensor& x0, int64_t dim) {
  const Tensor x = x0.dtype() == boolean ? to(x0, i64) : x0, y = contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const auto out = y.write<T>();
    sum_along<T>(from, out, AxisSplit(x.shape(), dim));
  });
  return ops::cumsum.record(y, {x}, {{"dim", dim}, {"from_end", int64_t{from == From::end}}});
}

}  // namespace

Tensor cumsum(const Tensor& x, int64_t dim) {
  refuse_bf16(x.dtype(), "cumsum");
  return cumsum_from(From::start, x, wrap_dim(dim, x.rank(), "cumsum"));
}

}  // namespace slope
