// Fills tensors with random numbers.
#pragma once

#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/random.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

// uniform_f32, uniform_f64 or normal
using Draw = void (*)(const RandomSite& site, int64_t first, std::span<double> u);

inline void check_drawable(const Tensor& x, const char* op) {
  SLOPE_CHECK_AS(UsageError, x.is_contiguous(), "{}: the tensor must be contiguous, got strides {}",
                 op, x.strides());
  check_floating(x.dtype(), op);
}

// x_i = value(u_i), where u is the draw of the generator's next site. x is contiguous, in f32 or
// f64.
template <class F>
void fill_drawn(const Tensor& x, const char* op, Draw draw, const F& value) {
  check_drawable(x, op);
  const RandomSite site = generator().next_site();
  visit_floating(x.dtype(), op, [&]<class T> {
    const auto out = x.write<T>();
    parallel_for(x.numel(), 1 << 13, [&, y = out.get()](int64_t begin, int64_t end) {
      double u[512];
      for (int64_t i = begin; i < end;) {
        const std::span<double> piece(
            u, static_cast<size_t>(std::min<int64_t>(std::size(u), end - i)));
        draw(site, i, piece);
        for (const double number : piece) y[i++] = static_cast<T>(value(number));
      }
    });
  });
}

}  // namespace slope
