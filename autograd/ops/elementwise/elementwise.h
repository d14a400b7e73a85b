// What the elementwise operations share: running loops over broadcast operands. Private to
// autograd/ops.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/core/kernels/elementwise/elementwise.h>
#include <slope/core/kernels/elementwise/elementwise_rows.h>
#include <slope/core/loops/streamed.h>
#include <slope/core/loops/strided.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace slope {

constexpr int64_t elementwise_grain = 1 << 15;

// How a result is stored. past_caches is for loops so cheap that memory limits them; it has an
// effect only if the result is larger than the caches.
enum class Written { through_caches, past_caches };

// The step in x from element to element of a contiguous tensor of `shape`: 1 if x is such a tensor,
// 0 if x is one element, perhaps repeated. None if no single step is right.
inline std::optional<int64_t> single_step(const Tensor& x, const Dims& shape) {
  if (x.shape() == shape && x.is_contiguous()) return 1;
  const Dims& strides = x.strides();
  const bool repeats = x.numel() == 1 || std::all_of(strides.begin(), strides.end(),
                                                     [](int64_t stride) { return stride == 0; });
  return repeats ? std::optional<int64_t>(0) : std::nullopt;
}

// loop(n, a, a_step, b, b_step, y) over a and b broadcast together; y is contiguous, of dtype R.
template <class T, class R, class Loop>
void run_binary(const Tensor& a, const Tensor& b, const Tensor& y, const Loop& loop,
                Written written = Written::through_caches) {
  const T *pa = a.data<T>(), *pb = b.data<T>();
  const auto out = y.write<R>();
  const std::optional<int64_t> a_step = single_step(a, y.shape()),
                               b_step = single_step(b, y.shape());
  if (a_step && b_step) {
    parallel_for(y.numel(), elementwise_grain, [&](int64_t begin, int64_t end) {
      const auto make = [&](int64_t i, int64_t n, R* to) {
        loop(n, pa + i * *a_step, *a_step, pb + i * *b_step, *b_step, to);
      };
      if (written == Written::past_caches &&
          is_past_caches(y.numel() * static_cast<int64_t>(sizeof(R))))
        streamed(out.get(), begin, end, make);
      else
        make(begin, end - begin, out + begin);
    });
  } else {
    const Layout la = a.layout().broadcast_to(y.shape()), lb = b.layout().broadcast_to(y.shape());
    for_each_run<3>(y.shape(), {&la.strides, &lb.strides, &y.strides()}, elementwise_grain,
                    [&](int64_t n, auto at, auto step) {
                      loop(n, pa + at[0], step[0], pb + at[1], step[1], out + at[2]);
                    });
  }
}

// loop(n, x, x_step, y); y has x's shape and is contiguous.
template <class T, class R, class Loop>
void run_unary(const Tensor& x, const Tensor& y, const Loop& loop) {
  const T* px = x.data<T>();
  const auto out = y.write<R>();
  if (x.is_contiguous())
    parallel_for(y.numel(), elementwise_grain, [&](int64_t begin, int64_t end) {
      loop(end - begin, px + begin, 1, out + begin);
    });
  else
    for_each_run<2>(
        y.shape(), {&x.strides(), &y.strides()}, elementwise_grain,
        [&](int64_t n, auto at, auto step) { loop(n, px + at[0], step[0], out + at[1]); });
}

// Row::f over operands of one dtype, without a node.
template <class Row>
Tensor elementwise(const Tensor& a, const Tensor& b, const char* op) {
  Tensor y = Tensor::empty(
      a.shape() == b.shape() ? a.shape() : broadcast_shapes(a.shape(), b.shape(), op), a.dtype());
  if (a.dtype() == i64)
    run_binary<int64_t, int64_t>(a, b, y,
                                 [](int64_t n, const int64_t* p, int64_t p_step, const int64_t* q,
                                    int64_t q_step, int64_t* to) {
                                   for (int64_t i = 0; i < n; ++i)
                                     to[i] =
                                         static_cast<int64_t>(Row::f(p[i * p_step], q[i * q_step]));
                                 });
  else
    visit_floating(a.dtype(), op, [&]<class T> {
      run_binary<T, T>(a, b, y, kernels<Binary<T>>().rows[binary_index<Row>], Written::past_caches);
    });
  return y;
}

// Row::f of both operands in their promoted dtype, which is `least` or higher, with a node.
template <class Row>
Tensor apply(const Op& op, const Tensor& a, const Tensor& b, DType least = i64) {
  if (a.dtype() == b.dtype() && is_floating(a.dtype()))
    return op.record(elementwise<Row>(a, b, op.name), {a, b});
  const DType dtype = promote(promote(a.dtype(), b.dtype()), least);
  const Tensor p = to(a, dtype), q = to(b, dtype);
  return op.record(elementwise<Row>(p, q, op.name), {p, q});
}

// x in the dtype in which it is combined with the number b.
inline Tensor promoted_with(const Tensor& x, Scalar b) {
  if (is_floating(x.dtype())) return x;
  return to(x, b.is_integer() ? i64 : f32);
}

// Row::f(x, b), or Row::f(b, x) if `reversed`, for a floating x.
template <class Row>
Tensor elementwise_scalar(const Tensor& x, double b, const char* op, bool reversed = false) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), op, [&]<class T> {
    const T scalar = static_cast<T>(b);
    const BinaryLoop<T> loop = kernels<Binary<T>>().rows[binary_index<Row>];
    run_unary<T, T>(x, y, [&](int64_t n, const T* p, int64_t step, T* to) {
      if (reversed)
        loop(n, &scalar, 0, p, step, to);
      else
        loop(n, p, step, &scalar, 0, to);
    });
  });
  return y;
}

}  // namespace slope
