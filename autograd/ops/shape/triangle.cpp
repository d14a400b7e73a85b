#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/parallel.h>

#include <algorithm>

namespace slope {

namespace {

constexpr Definition tril_definition{"y_ij = x_ij where j - i <= diagonal, else 0",
                                     "dx_ij = g_ij where j - i <= diagonal, else 0"};
Grads tril_formula(const Saved& s, const Tensor& g) { return {tril(g, s.integer("diagonal"))}; }

constexpr Definition triu_definition{"y_ij = x_ij where j - i >= diagonal, else 0",
                                     "dx_ij = g_ij where j - i >= diagonal, else 0"};
Grads triu_formula(const Saved& s, const Tensor& g) { return {triu(g, s.integer("diagonal"))}; }

// y = x where column - row <= diagonal (lower) or >= diagonal (upper), else 0.
template <bool lower>
Tensor triangle(const Tensor& x, int64_t diagonal) {
  const Tensor from = x.is_contiguous() ? x : contiguous_copy(x);
  const Tensor y = Tensor::empty(x.shape(), x.dtype());
  const int64_t n = x.size(-2), m = x.size(-1);
  if (x.numel() == 0) return y;
  visit(x.dtype(), [&]<class T> {
    const T* in = from.data<T>();
    const auto out = y.write<T>();
    parallel_for(x.numel() / m, std::max<int64_t>(1, 32768 / m), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* a = in + r * m;
        T* b = out + r * m;
        // columns before `edge` are the lower part
        const int64_t edge = std::clamp<int64_t>(r % n + diagonal + (lower ? 1 : 0), 0, m);
        for (int64_t c = 0; c < edge; ++c) b[c] = lower ? a[c] : T(0);
        for (int64_t c = edge; c < m; ++c) b[c] = lower ? T(0) : a[c];
      }
    });
  });
  return y;
}

int64_t bounded(int64_t diagonal, const Tensor& x) {
  return std::clamp(diagonal, -x.size(-2) - 1, x.size(-1) + 1);
}

}  // namespace

namespace ops {
extern const Op tril{.name = "tril",
                     .signature = "(*, n, m) -> (*, n, m)",
                     .definition = tril_definition,
                     .formula = tril_formula};
extern const Op triu{.name = "triu",
                     .signature = "(*, n, m) -> (*, n, m)",
                     .definition = triu_definition,
                     .formula = triu_formula};
}  // namespace ops

Tensor tril(const Tensor& x, int64_t diagonal) {
  ops::tril.check({x});
  diagonal = bounded(diagonal, x);
  return ops::tril.record(triangle<true>(x, diagonal), {x}, {{"diagonal", diagonal}});
}
Tensor triu(const Tensor& x, int64_t diagonal) {
  ops::triu.check({x});
  diagonal = bounded(diagonal, x);
  return ops::triu.record(triangle<false>(x, diagonal), {x}, {{"diagonal", diagonal}});
}

}  // namespace slope
