// Shared by layer norm and RMS norm: their shapes, and sums over rows with the same bits for any
// number of threads. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/autograd/ops/reduce/rows.h>

namespace slope {

// The normalised dims: the last dims of x, as many as the weight has or, without a weight, the
// bias; without either, one.
struct NormShape {
  Dims dims;        // the normalised dims, counted from the last: -k, …, -1
  Dims normalised;  // their sizes
  int64_t n = 1, rows = 0;

  NormShape(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
    const auto shape_of = [](const Tensor& t) {
      return t.defined() ? to_string(t.shape()) : std::string("none");
    };
    const bool last = !weight.defined() && !bias.defined();
    SLOPE_CHECK_SHAPE(!last || x.rank() > 0,
                      "{}: x has no dims to normalise over; give it at least one", op);
    normalised = weight.defined() ? weight.shape()
                 : bias.defined() ? bias.shape()
                                  : Dims{x.size(-1)};
    const size_t k = normalised.size(), rank = x.shape().size();
    bool fits = k <= rank && k > 0 && (!bias.defined() || bias.shape() == normalised);
    for (size_t d = 0; fits && d < k; ++d) fits = x.shape()[rank - k + d] == normalised[d];
    SLOPE_CHECK_SHAPE(fits, "{}: {} must have the shape of x's last dims: x {}, weight {}{}", op,
                      bias.defined() ? "weight and bias" : "weight", x.shape(), shape_of(weight),
                      bias.defined() ? ", bias " + shape_of(bias) : "");
    for (const Tensor* t : {&weight, &bias})
      SLOPE_CHECK_DTYPE(!t->defined() || t->dtype() == x.dtype(),
                        "{}: dtypes differ: x {}, {} {}; convert one with to()", op,
                        name(x.dtype()), t == &weight ? "weight" : "bias", name(t->dtype()));
    for (size_t d = 0; d < k; ++d)
      dims.push_back(static_cast<int64_t>(d) - static_cast<int64_t>(k));
    n = numel(normalised);
    rows = n == 0 ? 0 : x.numel() / n;
  }
};

// x / sqrt(mean(x^2) + eps), in units of the larger of max |x| and sqrt(eps), so that no square
// over- or underflows.
inline Tensor over_root_mean_square(const Tensor& x, const Dims& dims, double eps) {
  const Tensor scale = scale_of(x, wrap_dims(dims, x.rank(), "norm"), std::sqrt(eps)),
               u = x / scale, root = full({}, std::sqrt(eps), x.dtype()) / scale;
  return u * rsqrt(mean(u * u, dims, keepdim) + root * root);
}

// Cuts the rows into at most 64 parts. f(begin, end, partial) adds the rows of one part to that
// part's own `sums` sums of n elements at `partial`. The sums of all parts are then added in order.
// Returns `sums` tensors of `shape`.
template <class T, class F>
Tensors sums_over_rows(int64_t rows, const Dims& shape, int sums, F&& f) {
  const int64_t n = numel(shape), part = std::max(rows_per_chunk(n), (rows + 63) / 64),
                parts = std::max<int64_t>(1, (rows + part - 1) / part);
  const Tensor partial = zeros({parts, sums, n}, dtype_of<T>);
  T* p = partial.write<T>().get();
  parallel_for(rows, part,
               [&](int64_t begin, int64_t end) { f(begin, end, p + begin / part * sums * n); });
  Tensors result;
  for (int k = 0; k < sums; ++k) {
    result.push_back(Tensor::empty(shape, dtype_of<T>));
    const auto out = result.back().write<T>();
    std::copy_n(p + k * n, n, out.get());
    for (int64_t c = 1; c < parts; ++c)
      for (int64_t i = 0; i < n; ++i) out.get()[i] += p[(c * sums + k) * n + i];
  }
  return result;
}

template <class T>
const T* data_or_null(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

}  // namespace slope
