#include <slope/core/kernels/transpose.h>
#include <slope/core/kernels/transposed_copy.h>

#include <algorithm>

namespace slope {
namespace {

constexpr int64_t side = 64;  // of a block: two of them fit into the first cache

template <class T>
void copy(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to, int64_t to_row) {
  for (int64_t j = 0; j < columns; j += side)
    for (int64_t i = 0; i < rows; i += side)
      transpose_block(std::min(side, rows - i), std::min(side, columns - j), from + i * from_row + j, from_row, to + j * to_row + i,
                      to_row);
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
