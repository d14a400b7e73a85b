// The derivative of a function of one number, by differences alone: for the elements where a plain
// central difference does not agree with backward. It says how far it can be trusted, and tells
// what is smooth from kinks, rounding, and the edge of a domain.
//
//   d(h) = (L(h) - L(-h)) / 2h        on a ladder of steps, each 4 times the one before
//   (16 d(h) - d(4h)) / 15            without the error in h^2 (Richardson, 1911)
//
// Of these, the one with the least error is taken: its distance from the one before it on the
// ladder, and the function's noise divided by the step.
#pragma once

#include <functional>

namespace slope {

struct LossAt {
  double step = 0;   // that was taken
  double value = 0;  // L
  double scale = 0;  // sum of the magnitudes of the terms of L, for the rounding of their sum
};
using Losses = std::function<LossAt(double step)>;

struct Tolerance {
  double atol, rtol;
  double of(double value) const;
  bool agree(double a, double b) const;  // |a - b| <= atol + rtol |b|
};

struct Derivative {
  enum class Kind {
    smooth,  // value, known to within `error`
    kink,    // from the left and from the right it is another one
    edge,    // L is not finite beside x
  };
  Kind kind = Kind::smooth;
  double value = 0, error = 0;
  double step = 0;   // the largest one that `value` is made of
  double noise = 0;  // of L
  double left = 0, right = 0;
};

// Near x: the largest step is a share of it.
Derivative differentiate(const Losses& losses, double x, double eps, const Tolerance& tolerance);

}  // namespace slope
