// The derivative of a function of one number, from differences alone, for the elements where a
// plain central difference does not agree with backward. It has an error estimate, and
// distinguishes smooth points from kinks, jumps, rounding, and the edge of a domain.
//
//   d(h) = (L(h) - L(-h)) / 2h        on a ladder of steps, each 4 times the previous
//   (16 d(h) - d(4h)) / 15            without the error of order h^2 (Richardson, 1911)
//
// The result is the one with the smallest error estimate: its distance from the previous one on the
// ladder plus the function's noise divided by the step (noise.h). Steps end where a result
// contradicts those of smaller steps. If the error stays large, or backward disagrees, smaller
// steps are tried: a kink or a bend may lie beside x.
#pragma once

#include <functional>

namespace slope {

struct LossAt {
  double step = 0;      // the step taken
  double value = 0;     // L
  double scale = 0;     // sum of the magnitudes of the terms of L, for the rounding of their sum
  double rounding = 0;  // by how much rounding to f32 or bf16 may shift L, even alike at all steps
};
using Losses = std::function<LossAt(double step)>;

struct Tolerance {
  double atol, rtol;
  double of(double value) const;
  bool agree(double a, double b) const;  // |a - b| <= atol + rtol |b|
};

struct Derivative {
  enum class Kind {
    smooth,  // `value` is known to within `error`
    kink,    // the derivatives from the left and from the right differ
    jump,    // L itself jumps at x, as the derivative of relu does at 0
    edge,    // L is not finite next to x
  };
  Kind kind = Kind::smooth;
  double value = 0, error = 0;  // the error is estimated to within the factor `doubt`
  double hidden = 0;            // where L does not change: what rounding may have taken away
  double step = 0;              // the largest step used for `value`
  double noise = 0;             // of L
  double left = 0, right = 0;   // the derivatives on either side
  // of a smooth point: among the differences to either side, if they are those of kinks beside x
  double least = 0, most = 0;
  double height = 0;  // of a jump

  bool agrees(double analytic, const Tolerance& tolerance) const;
  // Whether kinks beside x may be why it does not agree: backward's number lies between the
  // differences to either side.
  bool may_be_kinks(double analytic, const Tolerance& tolerance) const;
  // well enough to show that an analytic derivative is 5 % off
  bool is_known(const Tolerance& tolerance) const;
};

constexpr double doubt = 3;
constexpr double close_enough = 0.01;  // largest error of a known derivative, as a share of it

// The derivative at step 0. There the element is x, which bounds the largest step. Unless it agrees
// with `expected`, backward's number, it is also looked for with steps down to 1e-11.
Derivative differentiate(const Losses& losses, double x, double eps, const Tolerance& tolerance,
                         double expected);

}  // namespace slope
