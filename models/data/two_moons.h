// The two moons: points on two interleaved half circles, for the MLP (models/mlp.h).
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::data {

struct TwoMoons {
  Tensor points, labels;  // (N, 2), (N, 1)
};

// n points with normal noise, the first half on the upper moon (label 0).
TwoMoons two_moons(int64_t n, double noise = 0.1);

}  // namespace slope::data
