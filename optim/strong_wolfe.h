// A line search: finds a step length t along d after which the loss has decreased enough and is
// flat enough (Nocedal and Wright, "Numerical Optimization", 2006, algorithms 3.5 and 3.6), with
// the choices of torch.optim.LBFGS.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <functional>

namespace slope::optim {

// On the line: f = loss(x + t d), its gradient g, and slope = <g, d>.
struct LinePoint {
  double t, f, slope;
  Tensor g;
};

struct LineSearch {
  double c1 = 1e-4, c2 = 0.9;  // f <= f0 + c1 t slope0, |slope| <= -c2 slope0
  double tolerance_change = 1e-9;
  int64_t max_evaluations = 25;  // after the first
};

struct LineResult {
  LinePoint point;
  int64_t evaluations;
};

// `at(t)` evaluates the point at t; `start` is the point at t = 0; `t` is the first one to try;
// `longest` is max |d_i|.
LineResult strong_wolfe(const std::function<LinePoint(double t)>& at, const LinePoint& start,
                        double t, double longest, const LineSearch& options);

}  // namespace slope::optim
