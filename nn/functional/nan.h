// For functions that are defined in pieces: nan belongs to none of them, so no derivative at nan
// may be that of a piece.
#pragma once

#include <slope/autograd/ops.h>

#include <cmath>

namespace slope::nn {

// A constant, 1, and nan where x is nan.
inline Tensor one_or_nan(const Tensor& x) {
  const Tensor v = x.detach();
  return masked_fill(full_like(v, 1), isnan(v), NAN);
}

}  // namespace slope::nn
