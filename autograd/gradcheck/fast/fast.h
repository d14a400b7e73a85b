// The fast mode of gradcheck, for whole models. For each leaf, all elements move together along a
// few directions v:
//
//   <gradient, v> = (L(x + h v) - L(x - h v)) / 2h
//
// The first direction is the gradient itself, where an error of scale is largest; the others have
// random signs, and magnitudes that differ by at most a factor of 3. An error orthogonal to one
// direction is not orthogonal to the others. An error that is small compared with the whole
// gradient (one wrong element in a million) may stay below the tolerance, and gradcheck() with
// `sample` finds it only by luck: check small instances in full.
//
// It is a failure if more than half of the directions of a leaf cannot be checked for an output
// (kinks, noise, the edge of a domain). Check networks with many kinks (relu) in float64: float32
// needs steps so large that they lie within, and most directions cannot be checked; one in a
// hundred looks wrong.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct FastOptions {
  int64_t directions = 3;  // of each leaf
  double step = 1e-5;      // movement of the largest element
  // relative to the derivative along a direction, of which 1e-9 counts as 0; at least 1e-3 (1e-7)
  // with float32, 1e-2 (1e-5) with bfloat16, where backward itself is rounded
  double rtol = 1e-4;
  bool raise_exception = true;
  bool find_culprit = true;
  uint64_t seed = 0;
};
// Checks the leaves that require a gradient; the others are constants. In the report, `checked`,
// `failed` and a failure's `element` count directions.
GradcheckReport gradcheck_fast(const std::function<Tensors()>& f, const NamedTensors& leaves,
                               const FastOptions& options = {});

}  // namespace slope
