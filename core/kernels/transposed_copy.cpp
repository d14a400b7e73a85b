#include <slope/core/kernels/lines.h>
#include <slope/core/kernels/transpose.h>
#include <slope/core/kernels/transposed_copy.h>

#include <algorithm>

namespace slope {
namespace {

// Of a block: it and its transpose fit into the first cache.
constexpr int64_t block_rows = 256, block_columns = 16;

// By way of a buffer: rows of `to` a power of two apart would push one another out of the cache.
template <class T>
void copy(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to, int64_t to_row, bool past_caches) {
  alignas(64) T block[block_columns * block_rows];
  for (int64_t j = 0; j < columns; j += block_columns)
    for (int64_t i = 0; i < rows; i += block_rows) {
      const int64_t height = std::min(block_rows, rows - i), width = std::min(block_columns, columns - j);
      transpose_block(height, width, from + i * from_row + j, from_row, block, block_rows);
      for (int64_t p = 0; p < width; ++p)
        if (past_caches)
          write_lines(height * static_cast<int64_t>(sizeof(T)), block + p * block_rows, to + (j + p) * to_row + i);
        else
          std::copy_n(block + p * block_rows, height, to + (j + p) * to_row + i);
    }
  finish_lines();
}

}  // namespace

template <>
TransposedCopy<float> variant<TransposedCopy<float>, Isa::SLOPE_ISA>() {
  return {copy<float>};
}
template <>
TransposedCopy<double> variant<TransposedCopy<double>, Isa::SLOPE_ISA>() {
  return {copy<double>};
}

}  // namespace slope
