// Shared by the reductions. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/loops/reduce.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slope {

// Puts the reduced dims (attribute "dims") back into a result as size 1, so that it broadcasts with
// the input. A scalar broadcasts unchanged.
inline Tensor with_dims(const Saved& s, const Tensor& y, const Dims& shape) {
  return y.rank() == 0 ? y : y.reshape(reduced_shape(shape, s.dims("dims"), keepdim));
}

// Number of elements that are reduced to one.
inline int64_t count_of(const Dims& shape, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= shape[static_cast<size_t>(d)];
  return n;
}

// x - mean x over dims, computed after subtracting the first element: exact where all are equal,
// and for large elements as exact as their differences. Needs elements along dims.
inline Tensor centred(const Tensor& x, const Dims& dims) {
  Tensor first = x.detach();
  for (int64_t d : dims) first = first.narrow(d, 0, 1);
  const Tensor shifted = x - first;
  return shifted - mean(shifted, dims, keepdim);
}

// The larger of `least` and the largest |x| over dims, as a constant to divide by: 1 where it is 0
// or not finite.
inline Tensor scale_of(const Tensor& x, const Dims& dims, double least = 0) {
  const Tensor m = clamp(amax(abs(x.detach()), dims, keepdim), least, {});
  return masked_fill(m, !logical_and(m > 0, m < INFINITY), 1);
}

// f(x) for a norm f, which sums the p-th powers of the elements and has f(c x) = c f(x) for c > 0.
// Where the powers over- or underflow, the result is computed again in units of the largest
// element; all other results keep their bits.
template <class F>
Tensor homogeneous(const Tensor& x, double p, const Dims& dims, bool keep, const F& f) {
  const Tensor y = f(x);
  const double least = std::pow(x.dtype() == f32 ? 1e-30 : 1e-290, 1 / p);
  const Tensor in_range = logical_and(y >= least, y < INFINITY);
  if (x.numel() == 0 || all(in_range)) return y;
  const Tensor scale = scale_of(x, dims);
  return where(in_range, y, f(x / scale) * scale.reshape(reduced_shape(x.shape(), dims, keep)));
}

// x and y = f(x), a norm, in the units of the largest element where y is infinite or among the
// denormals, which have few digits: dy/dx is the same in any unit. y has x's dims.
template <class F>
std::pair<Tensor, Tensor> in_moderate_units(const Tensor& x, const Tensor& y, const Dims& dims,
                                            const F& f) {
  const double least = y.dtype() == f32 ? 0x1p-122 : 0x1p-1018;  // 16 times the least normal number
  const Tensor extreme = logical_or(isinf(y), logical_and(y != 0, y < least));
  if (!any(extreme)) return {x, y};
  const Tensor u = x / masked_fill(scale_of(x, dims), !extreme, 1);
  return {u, f(u)};
}

// The same elements in another shape, without a node.
inline Tensor reshaped(const Tensor& contiguous, const Dims& shape) {
  return Tensor(contiguous.storage(), *contiguous.layout().reshape(shape), contiguous.dtype());
}

// x as (outer, n, inner) around one dim; a scalar is (1, 1, 1).
struct AxisSplit {
  int64_t outer = 1, n = 1, inner = 1;
  AxisSplit(const Dims& shape, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      (d < dim ? outer : d == dim ? n : inner) *= shape[static_cast<size_t>(d)];
  }
  // offset of line i: n elements, `inner` apart
  int64_t line(int64_t i) const { return i / inner * n * inner + i % inner; }
  int64_t lines() const { return outer * inner; }
};

// f(i, offset of line i, inner) for each line along the split dim.
template <class F>
void for_lines(const AxisSplit& split, int64_t grain, const F& f) {
  parallel_for(split.lines(), std::max<int64_t>(1, grain / std::max<int64_t>(split.n, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) f(i, split.line(i), split.inner);
               });
}

}  // namespace slope
