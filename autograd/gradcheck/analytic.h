// The gradients of one output y by backward, d<u, y> / dx for a cotangent u and every leaf x, and
// whether they can be trusted: backward must give the same bits in every pass, be linear in u, not
// depend on how u lies in memory or on which leaves are wanted, and not write into other tensors'
// memory.
//
// Ten passes are run, and, of two leaves or more, one for each alone; those with the same u are
// compared. A rule that is called once in a pass and keeps state shows if it changes for good,
// once, or at every n-th call, up to the seventh. What it does later may show, and does in
// gradgradcheck, whose function runs the rules.
#pragma once

#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

struct Analytic {
  Tensors gradients;                  // one per leaf; undefined if the tape does not reach it
  std::vector<std::string> problems;  // why they cannot be trusted
  // Whether nothing is wrong, except perhaps that a rule wrote into the gradient that it was given:
  // the pass from which `gradients` come undid that write, so they show what else is wrong.
  bool can_be_compared = true;
};

struct AnalyticOptions {
  bool formula = false;  // through formulas instead of kernels
  Tolerance tolerance;
};
Analytic gradients_of(const Tensor& y, const Tensor& u, const NamedTensors& leaves,
                      const AnalyticOptions& options);

}  // namespace slope
