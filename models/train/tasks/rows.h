// A part of a batch as a tensor.
#pragma once

#include <slope/core/tensor/factories.h>

namespace slope::train {

// Rows begin … end - 1 of `values`, a sequence of rows, each `length` long.
inline Tensor rows(const std::vector<int64_t>& values, int64_t begin, int64_t end, int64_t length) {
  return from_vector(
      std::vector<int64_t>(values.begin() + begin * length, values.begin() + end * length),
      {end - begin, length});
}

}  // namespace slope::train
