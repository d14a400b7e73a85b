// Tensors with numbers of type int64_t, not all of which a double holds: exact beside integers and
// bools; beside floating-point tensors they are converted to double, as other numbers are.
#pragma once

#include <slope/autograd/ops.h>

#include <functional>

namespace slope {

template <class F>
Tensor with_int64(const Tensor& x, int64_t b, F f) {
  return is_floating(x.dtype()) ? f(x, static_cast<double>(b)) : f(x, tensor(b));
}

template <Int64 T>
[[nodiscard]] Tensor operator+(const Tensor& a, T b) {
  return with_int64(a, b, std::plus());
}
template <Int64 T>
[[nodiscard]] Tensor operator+(T a, const Tensor& b) {
  return b + a;
}
template <Int64 T>
[[nodiscard]] Tensor operator-(const Tensor& a, T b) {
  return with_int64(a, b, std::minus());
}
template <Int64 T>
[[nodiscard]] Tensor operator-(T a, const Tensor& b) {
  return with_int64(b, a, [](const Tensor& x, const auto& n) { return n - x; });
}
template <Int64 T>
[[nodiscard]] Tensor operator*(const Tensor& a, T b) {
  return with_int64(a, b, std::multiplies());
}
template <Int64 T>
[[nodiscard]] Tensor operator*(T a, const Tensor& b) {
  return b * a;
}
template <Int64 T>
[[nodiscard]] Tensor add(const Tensor& a, T b) {
  return a + b;
}
template <Int64 T>
[[nodiscard]] Tensor mul(const Tensor& a, T b) {
  return a * b;
}
template <Int64 T>
[[nodiscard]] Tensor pow(const Tensor& a, T b) {
  return with_int64(a, b, [](const Tensor& x, const auto& n) { return pow(x, n); });
}
template <Int64 T>
[[nodiscard]] Tensor operator==(const Tensor& a, T b) {
  return with_int64(a, b, std::equal_to());
}
template <Int64 T>
[[nodiscard]] Tensor operator!=(const Tensor& a, T b) {
  return with_int64(a, b, std::not_equal_to());
}
template <Int64 T>
[[nodiscard]] Tensor operator<(const Tensor& a, T b) {
  return with_int64(a, b, std::less());
}
template <Int64 T>
[[nodiscard]] Tensor operator<=(const Tensor& a, T b) {
  return with_int64(a, b, std::less_equal());
}
template <Int64 T>
[[nodiscard]] Tensor operator>(const Tensor& a, T b) {
  return with_int64(a, b, std::greater());
}
template <Int64 T>
[[nodiscard]] Tensor operator>=(const Tensor& a, T b) {
  return with_int64(a, b, std::greater_equal());
}
template <Int64 T>
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, T value) {
  if (x.dtype() != i64) return masked_fill(x, mask, static_cast<double>(value));
  const Tensor zeroed = masked_fill(x, mask, 0.0);  // which refuses a mask that does not suit x
  return where(mask, tensor(int64_t{value}), zeroed);
}

}  // namespace slope
