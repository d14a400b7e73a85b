// y_i = sum_{j <= i} x_j along one dim
//   dx_j = sum_{i >= j} g_i: the same, from the end
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/modular.h>
#include <slope/core/loops/parallel.h>

#include <algorithm>
#include <type_traits>

namespace slope {

static Tensor cumsum_from(const Tensor& x, int64_t dim, bool from_end);

namespace ops {
extern const Op cumsum{
    .name = "cumsum", .signature = "(*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{cumsum_from(g, s.integer("dim"), !s.integer("from_end"))};
    }};
}

static Tensor cumsum_from(const Tensor& x0, int64_t dim, bool from_end) {
  const Tensor x = x0.dtype() == boolean ? to(x0, i64) : x0;
  const Around around(x.shape(), dim);
  Tensor y = contiguous_copy(x);
  visit(x.dtype(), [&]<class T> {
    const auto out = y.write<T>();
    T* p = out;
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    constexpr int64_t together = 64;  // columns
    const int64_t n = around.n, inner = around.inner;
    parallel_for(around.outer, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, n * inner)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t o = begin; o < end; ++o) {
                     T* row = p + o * n * inner;
                     for (int64_t first = 0; first < inner; first += together) {
                       const int64_t columns = std::min(together, inner - first);
                       Sum sums[together];
                       for (int64_t k = 0; k < n; ++k) {
                         T* to = row + (from_end ? n - 1 - k : k) * inner + first;
                         for (int64_t j = 0; j < columns; ++j) {
                           sums[j] = k == 0 ? static_cast<Sum>(to[j])
                                            : static_cast<Sum>(modular(sums[j]) +
                                                               modular(static_cast<Sum>(to[j])));
                           to[j] = static_cast<T>(sums[j]);
                         }
                       }
                     }
                   }
                 });
  });
  return ops::cumsum.record(y, {x}, {{"dim", dim}, {"from_end", int64_t{from_end}}});
}

Tensor cumsum(const Tensor& x, int64_t dim) {
  return cumsum_from(x, wrap_dim(dim, x.rank(), "cumsum"), false);
}

}  // namespace slope
