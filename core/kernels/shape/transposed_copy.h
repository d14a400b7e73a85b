// Copies between a matrix and one that is transposed in memory, block by block, so that both sides
// move whole cache lines.
#pragma once

#include <slope/core/kernels/isa.h>

#include <cstdint>

namespace slope {

template <class T>
struct TransposedCopy {
  // to[j][i] = from[i][j] for i < rows, j < columns; row strides from_row and to_row. past_caches:
  // `to` is written past the caches, as by core/kernels/shape/stream.h.
  void (*copy)(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to,
               int64_t to_row, bool past_caches);
};

}  // namespace slope
