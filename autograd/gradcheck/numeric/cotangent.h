// The cotangent u of gradcheck: what turns an output y into the number <u, y>.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// Magnitude in [0.5, 1.5), so that none hides a mistake, and a random sign.
Tensor random_cotangent(const Dims& shape, DType dtype, uint64_t seed, size_t output);

}  // namespace slope
