// A number beside a tensor, as in x + 1 or full(shape, 0.5). An integer stays exact: a double does
// not hold every int64_t.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

namespace slope {

class Scalar {
 public:
  template <std::integral T>
  Scalar(T value)
      : double_(static_cast<double>(value)), int64_(static_cast<int64_t>(value)),
        is_integer_(std::in_range<int64_t>(value)) {}
  Scalar(bool value) : Scalar(int{value}) {}
  // A whole number below 2^53 counts as an integer.
  Scalar(double value)
      : double_(value), is_integer_(value == std::trunc(value) && std::abs(value) < 0x1p53) {
    if (is_integer_) int64_ = static_cast<int64_t>(value);
  }

  bool is_integer() const { return is_integer_; }
  int64_t to_int64() const { return int64_; }  // only where is_integer()
  double to_double() const { return double_; }

 private:
  double double_;
  int64_t int64_ = 0;
  bool is_integer_;
};

}  // namespace slope
