// Leaves whose gradients a test reads.
#pragma once

#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>

namespace slope::test {

inline Tensor leaf(const Literal& value) { return tensor(value, f64).set_requires_grad(); }

// The values and the dtype of x.
inline Tensor leaf(const Tensor& x) { return x.clone().set_requires_grad(); }

inline Tensor random_leaf(const Dims& shape, DType dtype = f32) {
  return randn(shape, dtype).set_requires_grad();
}

}  // namespace slope::test
