// The noise of L, a function of one number: what rounding adds to L. Noise limits what differences
// of L can tell.
//
// Rounding makes L jump. Close samples show this, unless the jumps are farther apart than the
// samples: a float64 function that computes something in float32 jumps every 1e-7 |x|. So where the
// differences of one step disagree with those of the next, the interval is halved again and again.
// A jump keeps its height; what comes from curvature or a kink shrinks with the interval.
#pragma once

#include <slope/autograd/gradcheck/numeric/differences.h>

#include <array>
#include <cmath>
#include <vector>

namespace slope {

constexpr double sure = 4;  // what exceeds this many times the noise is not noise
// relative to the number rounded
constexpr double f32_rounding = 0x1p-24, bf16_rounding = 0x1p-9;

// L at -h, 0 and h
struct Rung {
  LossAt left, here, right;
  double step() const { return right.step - left.step; }
  double odd() const { return right.value - left.value; }
  double even() const { return right.value - 2 * here.value + left.value; }
  double central() const { return odd() / step(); }
  double from_left() const { return (here.value - left.value) / -left.step; }
  double from_right() const { return (right.value - here.value) / right.step; }
  double gap() const { return std::abs(from_right() - from_left()); }
  bool has_both_sides() const { return left.step < 0 && right.step > 0; }
  bool is_finite() const { return std::isfinite(left.value) && std::isfinite(right.value); }
  bool is_flat() const { return left.value == here.value && right.value == here.value; }
};

constexpr int fine = 4;
using Close = std::array<LossAt, 2 * fine + 1>;  // L at -4 … 4 times the first step

// `ladder`: steps of which each is 4 times the previous
double noise_of(const Losses& losses, const Close& close, const std::vector<Rung>& ladder);

}  // namespace slope
