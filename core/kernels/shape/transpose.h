// Transposes of 8 x 8 blocks of floats in registers, for packing and copying transposed matrices.
#pragma once

#include <slope/core/kernels/vectors.h>

namespace slope {
namespace {

#if defined(__AVX__)
// Row p of the result is column p of the argument.
[[gnu::always_inline]] inline void transpose_registers(__m256 (&r)[8]) {
  __m256 s[8];
  for (int l = 0; l < 8; l += 2) {
    s[l] = _mm256_unpacklo_ps(r[l], r[l + 1]);
    s[l + 1] = _mm256_unpackhi_ps(r[l], r[l + 1]);
  }
  for (int l = 0; l < 8; l += 4)
    for (int h = 0; h < 2; ++h) {
      r[l + 2 * h] = _mm256_shuffle_ps(s[l + h], s[l + h + 2], 0x44);
      r[l + 2 * h + 1] = _mm256_shuffle_ps(s[l + h], s[l + h + 2], 0xee);
    }
  for (int p = 0; p < 4; ++p) {
    s[p] = _mm256_permute2f128_ps(r[p], r[p + 4], 0x20);
    s[p + 4] = _mm256_permute2f128_ps(r[p], r[p + 4], 0x31);
  }
  for (int p = 0; p < 8; ++p) r[p] = s[p];
}

// to[p][l] = from[l][p]; 0 if l >= rows, with 1 <= rows <= 8
[[gnu::always_inline]] inline void transpose_8x8(const float* from, int64_t from_row, float* to,
                                                 int64_t to_row, int64_t rows = 8) {
  __m256 r[8];
  if (rows == 8)
    for (int l = 0; l < 8; ++l) r[l] = _mm256_loadu_ps(from + l * from_row);
  else
    for (int l = 0; l < 8; ++l)
      r[l] = l < rows ? _mm256_loadu_ps(from + l * from_row) : _mm256_setzero_ps();
  transpose_registers(r);
  for (int p = 0; p < 8; ++p) _mm256_storeu_ps(to + p * to_row, r[p]);
}
#endif

// to[p][l] = from[l][p] for l < rows, p < columns; rows of `from` are contiguous.
template <class T>
[[gnu::always_inline]] inline void transpose_block(int64_t rows, int64_t columns, const T* from,
                                                   int64_t from_row, T* to, int64_t to_row) {
  int64_t whole_rows = 0, whole_columns = 0;
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4) {
    whole_rows = rows / 8 * 8, whole_columns = columns / 8 * 8;
    for (int64_t l = 0; l < whole_rows; l += 8)
      for (int64_t p = 0; p < whole_columns; p += 8)
        transpose_8x8(from + l * from_row + p, from_row, to + p * to_row + l, to_row);
  }
#endif
  for (int64_t p = 0; p < columns; ++p)
    for (int64_t l = p < whole_columns ? whole_rows : 0; l < rows; ++l)
      to[p * to_row + l] = from[l * from_row + p];
}

}  // namespace
}  // namespace slope
