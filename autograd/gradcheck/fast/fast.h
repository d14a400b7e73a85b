// The fast mode of gradcheck: for whole models. Leaf by leaf, all elements move at once along a few
// directions v:
//
//   <gradient, v> = (L(x + h v) - L(x - h v)) / 2h
//
// The first direction is the gradient itself, along which an error of scale is as large as it can
// be; the others are random signs, times magnitudes between 1/2 and 3/2. An error that is
// orthogonal to one direction is not to the others; one that is small beside the whole gradient
// (a single wrong element of a million) may stay below the tolerance, which gradcheck() with
// `sample` finds only by luck: check small instances in full.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct FastOptions {
  int64_t directions = 3;  // of each leaf
  double step = 1e-5;      // of the largest element
  double rtol = 1e-4;      // of the derivative along a direction
  bool raise_exception = true;
  bool find_culprit = true;
  uint64_t seed = 0;
};
// `checked`, `failed` and a failure's `element` count directions.
GradcheckReport gradcheck_fast(const std::function<Tensors()>& f, const NamedTensors& leaves,
                               const FastOptions& options = {});

}  // namespace slope
