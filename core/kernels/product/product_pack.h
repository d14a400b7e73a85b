// Packing for a product copies both operands in the order in which its inner loop reads them: A in
// groups of register_rows rows, B in panels of two vectors' width, with the elements of one step of
// the sum side by side.
#pragma once

#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/product/product.h>
#include <slope/core/kernels/shape/transpose.h>

#include <algorithm>
#include <cstring>

namespace slope {
namespace {

// 24 or 12 sums of one vector each: all registers but a few
constexpr int64_t register_rows = vector_bytes == 64 ? 12 : 6;
constexpr int64_t pack_depth = product_depth;  // of what is packed at once
template <class T>
constexpr int panel_width = static_cast<int>(2 * vector_size<T>);

constexpr int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
template <class T>
constexpr int64_t whole_vectors(int64_t n) {
  return round_up(n, vector_size<T>);
}

template <class T>
StridedMatrix<const T> from(const StridedMatrix<const T>& x, int64_t i, int64_t j) {
  return {x.data + i * x.row + j * x.col, x.row, x.col};
}

// Packs strips of L columns, one after the other: out[s][p][l] = in[p * stride + s * L + l]. Eight
// rows at a time across all strips, with the next eight prefetched: the rows are read in order, and
// each strip is written in whole lines (strips can be a multiple of 4 KB apart, and too many open
// ones evict one another from the first-level cache).
template <int64_t L, class T>
void pack_strips(int64_t deep, int64_t strips, const T* in, int64_t stride, T* out) {
  constexpr int64_t together = 8;
  for (int64_t top = 0; top < deep; top += together)
    for (int64_t s = 0; s < strips; ++s)
      for (int64_t p = top; p < std::min(deep, top + together); ++p) {
        const T* x = in + p * stride + s * L;
        fetch(x + together * stride, L);
        std::memcpy(out + (s * deep + p) * L, x, L * sizeof(T));
      }
}

// Copies a vector: the first n elements, then zeros.
template <class T>
[[gnu::always_inline]] inline void copy_vector(const T* from, int64_t n, T* to) {
  constexpr int L = vector_size<T>;
  if (n >= L) {
    std::memcpy(to, from, L * sizeof(T));
  } else {
#pragma omp simd
    for (int l = 0; l < L; ++l) to[l] = l < n ? from[l] : T(0);
  }
}

// Packs columns 0 … columns - 1 of b, then zeros up to `written` (whole vectors, at most a panel);
// elements beyond are untouched.
template <class T>
void pack_panel(int64_t deep, int64_t columns, const StridedMatrix<const T>& b, T* panel,
                int64_t written = panel_width<T>) {
  constexpr int W = panel_width<T>;
  if (b.col == 1) {
    for (int64_t p = 0; p < deep; ++p)
      for (int64_t v = 0; v < written; v += vector_size<T>)
        copy_vector(b.data + p * b.row + v, columns - v, panel + p * W + v);
    return;
  }
  int64_t p = 0;
#if defined(__AVX__)
  if constexpr (sizeof(T) == 4)
    if (b.row == 1)
      for (; p + 8 <= deep; p += 8)
        for (int64_t l = 0; l < written; l += 8) {
          T* const to = panel + p * W + l;
          if (l < columns)
            transpose_8x8(b.data + l * b.col + p, b.col, to, W, std::min<int64_t>(8, columns - l));
          else
            for (int r = 0; r < 8; ++r) _mm256_storeu_ps(to + r * W, _mm256_setzero_ps());
        }
#endif
  for (; p < deep; ++p) {
    for (int64_t l = 0; l < columns; ++l) panel[p * W + l] = b.data[p * b.row + l * b.col];
    for (int64_t l = columns; l < written; ++l) panel[p * W + l] = 0;
  }
}

// Packs b, panel after panel.
template <class T>
void pack_panels(int64_t deep, int64_t columns, const StridedMatrix<const T>& b, T* panels) {
  constexpr int W = panel_width<T>;
  const int64_t strips = b.col == 1 ? columns / W : 0;
  pack_strips<W>(deep, strips, b.data, b.row, panels);
  for (int64_t j = strips * W; j < columns; j += W)
    pack_panel(deep, std::min<int64_t>(W, columns - j), from(b, 0, j), panels + j * deep);
}

constexpr int64_t overrun = 16;  // pack_rows writes two elements past the end

#if defined(__AVX__)
// to[p * register_rows + r] = from[r * from_row + p] for p < 8: six rows at a time, each column
// stored with two extra zeros, which the next store overwrites.
[[gnu::always_inline]] inline void transpose_rows(const float* from, int64_t from_row, float* to) {
  constexpr int64_t sixes = register_rows / 6;
  __m256 columns[sixes][8];
  for (int64_t g = 0; g < sixes; ++g) {
    for (int64_t r = 0; r < 6; ++r) columns[g][r] = _mm256_loadu_ps(from + (6 * g + r) * from_row);
    columns[g][6] = columns[g][7] = _mm256_setzero_ps();
    transpose_registers(columns[g]);
  }
  for (int64_t p = 0; p < 8; ++p)
    for (int64_t g = 0; g < sixes; ++g)
      _mm256_storeu_ps(to + p * register_rows + 6 * g, columns[g][p]);
}
#endif

// Packs rows 0 … height - 1 of a, register_rows of them side by side: out[i / register_rows][p][i %
// register_rows].
template <class T>
void pack_rows(int64_t height, int64_t deep, const StridedMatrix<const T>& a, T* out) {
  const int64_t strips = a.row == 1 ? height / register_rows : 0;
  pack_strips<register_rows>(deep, strips, a.data, a.col, out);
  out += strips * register_rows * deep;
  for (int64_t i = strips * register_rows; i < height;
       i += register_rows, out += register_rows * deep) {
    const T* in = a.data + i * a.row;
    const int64_t here = std::min(register_rows, height - i);
    int64_t p = 0;
#if defined(__AVX__)
    if constexpr (sizeof(T) == 4)
      if (here == register_rows && a.col == 1)
        for (; p + 8 <= deep; p += 8) {
          if (p % 16 == 0)
            for (int64_t r = 0; r < register_rows; ++r)
              fetch(in + p + (register_rows + r) * a.row, 1);  // a line of the next group
          transpose_rows(in + p, a.row, out + p * register_rows);
        }
#endif
    for (; p < deep; ++p)
      for (int64_t r = 0; r < here; ++r) out[p * register_rows + r] = in[r * a.row + p * a.col];
  }
}

}  // namespace
}  // namespace slope
