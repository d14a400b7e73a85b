// What the rules of the trial's lists are written in.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/core/tensor/dtype.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/pooling.h>

#include <cmath>
#include <random>

namespace slope {

inline Tensor at(const Saved& s, int i) { return i < s.inputs() ? s.input(i) : Tensor(); }

inline Tensor low(const Tensor& x) { return tril(ones_like(x)); }  // a fixed mask
inline double root(double d) { return std::sqrt(d); }
inline Tensor outer(const Tensor& a, const Tensor& b) { return unsqueeze(a, 1) * b; }
inline Tensor deviation(const Tensor& x) {  // 1 / the standard deviation of a row
  return rsqrt(var(x, {1}, 0, keepdim) + 1e-5);
}
inline Tensor sub_rows(const Tensor& g, const Tensor& y) {  // softmax's rule
  return y * (g - sum(g * y, {1}, keepdim));
}
// x as it is read by someone who forgets its strides; the derivative is that of x.
inline Tensor raw(const Tensor& x) {
  const Tensor inside = x.detach();
  Layout forgetful = Layout::contiguous(x.shape());
  forgetful.offset = inside.layout().offset;
  if (!forgetful.is_within(inside.storage()->bytes() / size_of(x.dtype()))) return x;
  return x + (Tensor(inside.storage(), forgetful, x.dtype()) - inside);
}
inline int64_t calls() {
  static int64_t count = 0;
  return ++count;
}

// ---- of the fresh lists
// The first n along the first dim, and zeros after them: what a loop that ends early leaves.
inline Tensor first(const Tensor& t, int64_t n) {
  Dims rows(static_cast<size_t>(t.rank()), 1);
  rows[0] = t.size(0);
  return t * to(reshape(arange(t.size(0)) < static_cast<double>(n), rows), t.dtype());
}
// 1 at each row's class; none where it is ignored (-100).
inline Tensor hot(const Tensor& classes, const Tensor& x) {
  return to(unsqueeze(classes, 1) == arange(x.size(1)), x.dtype());
}
inline Tensor classes() { return tensor({1, 0, 4}); }
inline Tensor ignored() { return tensor({1, -100, 4}); }
// Sums from the end, begun anew at every block: a carry that is lost.
inline Tensor sums_in_blocks(const Tensor& g, int64_t block) {
  Tensors sums;
  for (const Tensor& part : split(g, block)) sums.push_back(flip(cumsum(flip(part, {0}), 0), {0}));
  return cat(sums);
}
// Each row's own number is that of the row n before it, from the n-th on.
inline Tensor of_first_chunk(const Tensor& rows, int64_t n) {
  return cat({narrow(rows, 0, 0, n), narrow(rows, 0, 0, rows.size(0) - n)});
}
inline Tensor rotate(const Tensor& x) {  // (n, 2 k): (a, b) -> (-b, a), as in rotary positions
  const Tensors halves = chunk(x, 2, 1);
  return cat({-halves[1], halves[0]}, 1);
}
// x times two, in x's own memory.
inline Tensor doubled_in_place(const Tensor& x) {
  const NoGrad no_grad;
  const Tensor inside = x.detach();
  visit_floating(x.dtype(), "doubled_in_place", [&]<class T> {
    const auto values = inside.write<T>();
    for (int64_t i = 0; x.is_contiguous() && i < x.numel(); ++i) values[i] *= 2;
  });
  return clone(inside);
}
inline double jitter() {  // from a generator that nobody seeds
  static std::mt19937 generator(7);
  return static_cast<double>(generator()) / 4294967296.0;
}
// x less a moving average of the means of all calls.
inline Tensor less_running_mean(const Tensor& x) {
  static double running = 0;
  running = 0.9 * running + 0.1 * mean(x.detach()).item();
  return x - running;
}
// g and a tenth of the means of earlier calls.
inline Tensor with_momentum(const Tensor& g) {
  static double before = 0;
  before = 0.1 * before + mean(g.detach()).item();
  return g + (before - mean(g.detach()).item());
}
// 0 or 1, by a digit far behind the point.
inline int64_t parity(const Tensor& x) { return std::llround(sum(x.detach()).item() * 1e6) & 1; }

}  // namespace slope
