// A norm that divides by the standard deviation: at a row of equal values its derivative is 0 / 0.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::constant_row {

inline Tensor standardized(const Tensor& x) {  // with sqrt, whose derivative at 0 is inf
  const Tensor z = x - mean(x, {-1}, keepdim);
  return z / (sqrt(sum(z * z, {-1}, keepdim) / (C - 1.0)) + 1e-6);
}

inline Showing show() {
  const auto not_finite_derivatives = [](const auto& norm) {
    const Tensor x = ones({1, C}, f64).set_requires_grad();
    const Tensor g = gradient(sum(norm(x) * arange(C).to(f64)), x);
    return static_cast<double>(C) - sum(isfinite(g).to(f64)).item();
  };
  return {
      {{"derivatives at a constant row that are nan, of 8", not_finite_derivatives(standardized),
        not_finite_derivatives([](const Tensor& x) { return nn::standardize(x); })}},
      {},
      {}};
}

}  // namespace slope::museum::constant_row
