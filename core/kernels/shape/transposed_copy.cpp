#include <slope/core/kernels/lines.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/shape/transpose.h>
#include <slope/core/kernels/shape/transposed_copy.h>

#include <algorithm>

namespace slope {
namespace {

constexpr int64_t block_columns = 512, strip_columns = 16;

// A block of rows is read strip by strip (in f32 a strip is one cache line of each row) and written
// through a buffer: rows of `to` a power of two apart would evict one another. `ahead`: meanwhile
// the next block is prefetched in memory order; without that, the jumps from row to row run at
// memory latency.
template <int64_t block_rows, bool ahead, class T>
void copy_by_blocks(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to,
                    int64_t to_row, bool past_caches) {
  alignas(64) T turned[strip_columns * block_rows];
  for (int64_t left = 0; left < columns; left += block_columns)
    for (int64_t top = 0; top < rows; top += block_rows) {
      const int64_t height = std::min(block_rows, rows - top),
                    wide = std::min(block_columns, columns - left);
      const int64_t below = std::min(block_rows, rows - top - height);  // rows of the next block
      const T* corner = from + top * from_row + left;
      for (int64_t j = 0; j < wide; j += strip_columns) {
        const int64_t width = std::min(strip_columns, wide - j);
        if (ahead)
          for (int64_t i = below * j / wide; i < below * (j + width) / wide; ++i)
            fetch(corner + (height + i) * from_row, wide);
        transpose_block(height, width, corner + j, from_row, turned, block_rows);
        for (int64_t p = 0; p < width; ++p) {
          const T* row = turned + p * block_rows;
          T* out = to + (left + j + p) * to_row + top;
          if (past_caches)
            write_lines(height * static_cast<int64_t>(sizeof(T)), row, out);
          else
            std::copy_n(row, height, out);
        }
      }
    }
  finish_lines();
}

// Past the caches, whole lines are written in blocks of 32 rows: two blocks fit in the second-level
// cache, so the next one can be prefetched. Otherwise blocks have 256 rows: a line written in two
// pieces costs more than waiting for memory, and longer blocks split fewer lines.
template <class T>
void copy(int64_t rows, int64_t columns, const T* from, int64_t from_row, T* to, int64_t to_row,
          bool past_caches) {
  const bool whole_lines =
      reinterpret_cast<uintptr_t>(to) % 64 == 0 && to_row * sizeof(T) % 64 == 0;
  if (past_caches && whole_lines)
    return copy_by_blocks<32, true>(rows, columns, from, from_row, to, to_row, true);
  copy_by_blocks<256, false>(rows, columns, from, from_row, to, to_row, past_caches);
}

}  // namespace

SLOPE_KERNELS(TransposedCopy, copy<T>)

}  // namespace slope
