// y = (x - E x) / (s + eps) over the last dim, s the standard deviation with divisor C - 1: the
// norm of "The Annotated Transformer" (Rush, 2018) and of texts that follow it. LayerNorm divides
// by C and has eps inside the root.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

// A constant row gives 0; there the derivative of s counts as 0 (PyTorch's is nan).
inline Tensor standardize(const Tensor& x, double eps = 1e-6) {
  const Tensor z = x - x.narrow(-1, 0, 1).detach();  // else a large mean's rounding may exceed eps
  return (z - mean(z, {-1}, keepdim)) / (slope::std(z, {-1}, 1, keepdim) + eps);
}

}  // namespace slope::nn
