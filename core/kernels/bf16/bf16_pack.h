// Packing of operands, which are rounded to bf16 on the way unless they are bf16 already. A pair is
// two consecutive terms of the sum, in one 32-bit lane. Pairs arise along a row or across two rows;
// a transpose of 16 x 16 lanes turns one order into the other.
#pragma once

#include <slope/core/kernels/bf16/bf16_product.h>

#include <algorithm>

#include <immintrin.h>

namespace slope {
namespace {

constexpr int64_t pair_lanes = 16;

inline __mmask16 first_lanes(int64_t n) {
  return static_cast<__mmask16>(n >= 16 ? 0xffff : n <= 0 ? 0 : (1u << n) - 1);
}
inline __m512i bits(__m512bh x) { return reinterpret_cast<__m512i&>(x); }
inline __m256i bits(__m256bh x) { return reinterpret_cast<__m256i&>(x); }

// x[0 … n - 1], at most 16, in bf16, then zeros.
inline __m256i load_some(const float* x, int64_t n) {
  return bits(_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(first_lanes(n), x)));
}
inline __m256i load_some(const uint16_t* x, int64_t n) {
  return _mm256_maskz_loadu_epi16(first_lanes(n), x);
}

// Lane l: elements 2 l and 2 l + 1 of the n at x.
inline __m512i pairs_along(const float* x, int64_t n) {
  return bits(_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(first_lanes(n - 16), x + 16),
                                  _mm512_maskz_loadu_ps(first_lanes(n), x)));
}
inline __m512i pairs_along(const uint16_t* x, int64_t n) {
  const auto lanes = static_cast<__mmask32>(n >= 32 ? 0xffffffff : n <= 0 ? 0 : (1u << n) - 1);
  return _mm512_maskz_loadu_epi16(lanes, x);
}

// Lane l: element l of `even` and of `odd` (null: zeros).
template <class T>
__m512i pairs_across(const T* even, const T* odd, int64_t n) {
  const __m512i low = _mm512_cvtepu16_epi32(load_some(even, n));
  if (!odd) return low;
  return _mm512_or_si512(low, _mm512_slli_epi32(_mm512_cvtepu16_epi32(load_some(odd, n)), 16));
}

// Lane l of r[i] and lane i of r[l] change places.
[[gnu::always_inline]] inline void transpose_lanes(__m512i (&r)[16]) {
  __m512i s[16];
  for (int i = 0; i < 16; i += 2) {
    s[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    s[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4)
    for (int h = 0; h < 2; ++h) {
      r[i + 2 * h] = _mm512_unpacklo_epi64(s[i + h], s[i + h + 2]);
      r[i + 2 * h + 1] = _mm512_unpackhi_epi64(s[i + h], s[i + h + 2]);
    }
  for (int i = 0; i < 16; i += 8)
    for (int q = 0; q < 4; ++q) {
      s[i + q] = _mm512_shuffle_i32x4(r[i + q], r[i + 4 + q], 0x88);
      s[i + 4 + q] = _mm512_shuffle_i32x4(r[i + q], r[i + 4 + q], 0xdd);
    }
  for (int q = 0; q < 8; ++q) {
    r[q] = _mm512_shuffle_i32x4(s[q], s[q + 8], 0x88);
    r[q + 8] = _mm512_shuffle_i32x4(s[q], s[q + 8], 0xdd);
  }
}

// Packs rows of A, which lies in memory by rows (a.col is 1) or by columns (a.row is 1).
template <class T>
void pack_some_rows(int64_t m, int64_t k, const StridedMatrix<const T>& a, int64_t padded_m,
                    int64_t padded_k, int64_t stride, uint16_t* rows) {
  constexpr int64_t together = 2 * pair_lanes;  // of k
  if (a.col == 1) {
    for (int64_t i = 0; i < padded_m; ++i) {
      uint16_t* to = rows + i * stride;
      for (int64_t p = 0; p < padded_k; p += together)
        _mm512_mask_storeu_epi32(
            to + p, first_lanes((padded_k - p) / 2),
            i < m ? pairs_along(a.data + i * a.row + p, k - p) : _mm512_setzero_si512());
    }
    return;
  }
  for (int64_t p = 0; p < padded_k; p += together)  // memory is read along its rows
    for (int64_t i = 0; i < padded_m; i += pair_lanes) {
      __m512i block[16];
      for (int l = 0; l < 16; ++l) {
        const int64_t q = p + 2 * l;
        const T* x = a.data + i + q * a.col;
        block[l] = q < k ? pairs_across(x, q + 1 < k ? x + a.col : nullptr, m - i)
                         : _mm512_setzero_si512();
      }
      transpose_lanes(block);
      for (int l = 0; l < std::min<int64_t>(16, padded_m - i); ++l)
        _mm512_mask_storeu_epi32(rows + (i + l) * stride + p, first_lanes((padded_k - p) / 2),
                                 block[l]);
    }
}

// Packs rows begin, …, end - 1 of b in pairs: up to 32 columns, then zeros. b's rows are
// contiguous.
template <class T>
void pack_pairs_of_rows(int64_t columns, int64_t k, int64_t begin, int64_t end,
                        const StridedMatrix<const T>& b, uint16_t* panel) {
  constexpr int64_t W = Bf16Product::panel;
  for (int64_t p = begin; p < end; p += 2)
    for (int64_t j = 0; j < W; j += 16) {
      const T* x = b.data + p * b.row + j;
      _mm512_storeu_si512(panel + p * W + 2 * j,
                          p < k ? pairs_across(x, p + 1 < k ? x + b.row : nullptr, columns - j)
                                : _mm512_setzero_si512());
    }
}

// Packs all rows of b, where b's columns are contiguous.
template <class T>
void pack_columns(int64_t columns, int64_t k, int64_t padded_k, const StridedMatrix<const T>& b,
                  uint16_t* panel) {
  constexpr int64_t W = Bf16Product::panel, together = 2 * pair_lanes;
  for (int64_t p = 0; p < padded_k; p += together)
    for (int64_t j = 0; j < W; j += 16) {
      __m512i block[16];
      for (int l = 0; l < 16; ++l)
        block[l] = j + l < columns ? pairs_along(b.data + (j + l) * b.col + p, k - p)
                                   : _mm512_setzero_si512();
      transpose_lanes(block);
      for (int l = 0; l < std::min<int64_t>(16, (padded_k - p) / 2); ++l)
        _mm512_storeu_si512(panel + (p + 2 * l) * W + 2 * j, block[l]);
    }
}

template <int64_t unit>
constexpr int64_t padded(int64_t n) {
  return (n + unit - 1) / unit * unit;
}
template <int64_t depth_unit>
constexpr int64_t row_stride(int64_t k) {
  return padded<depth_unit>(k) + Bf16Product::row_gap;
}

template <int64_t row_unit, int64_t depth_unit, class T>
void pack_rows(int64_t m, int64_t k, const StridedMatrix<const T>& a, uint16_t* rows,
               int64_t stride) {
  pack_some_rows(m, k, a, padded<row_unit>(m), padded<depth_unit>(k), stride, rows);
}
template <int64_t depth_unit, class T>
void pack_panels(int64_t n, int64_t k, const StridedMatrix<const T>& b, uint16_t* panels,
                 int64_t stride) {
  constexpr int64_t W = Bf16Product::panel, some_rows = 16;
  const int64_t padded_k = padded<depth_unit>(k);
  const auto part = [&](int64_t j) {
    return StridedMatrix<const T>{b.data + j * b.col, b.row, b.col};
  };
  if (b.col != 1) {
    for (int64_t j = 0; j < n; j += W)
      pack_columns(std::min(W, n - j), k, padded_k, part(j), panels + j / W * stride);
    return;
  }
  for (int64_t p = 0; p < padded_k; p += some_rows)  // memory is read along its rows
    for (int64_t j = 0; j < n; j += W)
      pack_pairs_of_rows(std::min(W, n - j), k, p, std::min(padded_k, p + some_rows), part(j),
                         panels + j / W * stride);
}

template <int64_t row_unit, int64_t depth_unit, class T>
constexpr Bf16Packing<T> packing{pack_rows<row_unit, depth_unit, T>, pack_panels<depth_unit, T>};

}  // namespace
}  // namespace slope
