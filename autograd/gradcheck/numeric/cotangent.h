// The cotangent u of gradcheck, which turns an output y into the number <u, y>.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// Magnitudes in [0.5, 1.5), so that no element hides a mistake, and random signs.
Tensor random_cotangent(const Dims& shape, DType dtype, uint64_t seed, size_t output);

}  // namespace slope
