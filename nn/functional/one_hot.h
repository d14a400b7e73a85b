#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

// y_ic = 1 if c = index_i, else 0: (*) i64 -> (*, classes) i64. classes = -1: as many as the
// largest index needs.
[[nodiscard]] Tensor one_hot(const Tensor& index, int64_t classes = -1);

}  // namespace slope::nn
