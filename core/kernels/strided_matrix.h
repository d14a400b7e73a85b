// A matrix as kernels see it: element (i, j) is data[i * row + j * col].
#pragma once

#include <cstdint>

namespace slope {

template <class T>
struct StridedMatrix {
  T* data = nullptr;
  int64_t row = 0, col = 1;
};

}  // namespace slope
