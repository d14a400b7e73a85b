// What attention does with a tile of scores between its products: hide, softmax, dropout, and their
// derivatives. In the letters of attention.cpp. Private to the kernels of attention.
#pragma once

#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/product/product_panel.h>
#include <slope/core/kernels/random/philox.h>

#include <algorithm>

namespace slope {
namespace {

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

// Takes the next n elements of the scratch memory.
template <class T>
T* take(T*& scratch, int64_t n) {
  T* taken = scratch;
  scratch += round_up(n, 16);
  return taken;
}

// Row stride of the score tile: whole vectors and 16 more elements, because with a stride of 64,
// 128, … a column would map to a few cache lines.
template <class T>
int64_t score_stride(int64_t S) {
  return round_up(S, panel_width<T>) + 16;
}

// No row before `end` sees more than these columns.
template <class T>
int64_t columns_seen(const AttentionHead<T>& h, int64_t end) {
  return h.causal ? std::clamp<int64_t>(end + h.S - h.L, 0, h.S) : h.S;
}

// Sets the scores that row i may not see to -inf, up to column `used`.
template <class T>
void hide(const AttentionHead<T>& h, int64_t i, int64_t used, T* s) {
  const int64_t end = columns_seen(h, i + 1);
  if (const bool* allowed = h.mask.data) {
    allowed += i * h.mask.row;
    const auto hide_unseen = [&](int64_t col) {
#pragma omp simd
      for (int64_t j = 0; j < end; ++j) s[j] = allowed[j * col] ? s[j] : minus_infinity<T>;
    };
    h.mask.col == 1 ? hide_unseen(1) : hide_unseen(h.mask.col);
  }
  for (int64_t j = end; j < used; ++j) s[j] = minus_infinity<T>;
}

// Draws the dropout multipliers of rows begin … begin + rows - 1, for their first `columns`, with a
// row stride of S.
template <class T>
void draw(const AttentionHead<T>& h, int64_t begin, int64_t rows, int64_t columns, T* multipliers) {
  const auto scale = static_cast<T>(h.dropout->scale);
  const uint32_t threshold = h.dropout->threshold;
  const auto draw_some = [&](int64_t first, int64_t n, T* to) {
    for_each_bits(h.dropout->site, first, n,
                  [=](int64_t i, uint32_t bits) { to[i] = bits >= threshold ? scale : T(0); });
  };
  const int64_t first = h.first_weight + begin * h.S;
  if (columns == h.S) return draw_some(first, rows * h.S, multipliers);
  for (int64_t r = 0; r < rows; ++r) draw_some(first + r * h.S, columns, multipliers + r * h.S);
}

// The largest of a row's scores, hidden ones left out; 0 if the row sees nothing.
template <class T>
T largest_score(int64_t n, const T* s) {
  const T m = row_max(n, s);
  return m != minus_infinity<T> ? m : 0;
}

// 1 / the sum of a row of exponentials; 0 if the row sees nothing.
template <class T>
T one_over_sum(int64_t n, const T* e) {
  const T sum = sum_pieces<T>(n, [&](int64_t j) { return e[j]; });
  return sum == 0 ? 0 : 1 / sum;
}

// p, the tile's scores, becomes their softmax times the dropout's multipliers `keep` (null: none).
// All rows take one step, then the next: the steps of neighbouring rows overlap, while those of a
// single row wait for each other.
template <class T>
void softmax_rows(const AttentionHead<T>& h, int64_t begin, int64_t rows, int64_t columns, T* p,
                  const T* keep, T* max, T* inverse, const StridedMatrix<T>& weights) {
  const int64_t S = h.S, stride = score_stride<T>(S), used = whole_vectors<T>(columns);
  for (int64_t r = 0; r < rows; ++r) hide(h, begin + r, used, p + r * stride);
  for (int64_t r = 0; r < rows; ++r) max[begin + r] = largest_score(used, p + r * stride);
  for (int64_t r = 0; r < rows; ++r) {
    T* s = p + r * stride;
    const T m = max[begin + r];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) s[j] = exp_of_negative(s[j] - m);
    inverse[begin + r] = one_over_sum(used, s);
  }
  for (int64_t r = 0; r < rows; ++r) {
    T* s = p + r * stride;
    const T factor = inverse[begin + r];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) s[j] *= factor;
    if (weights.data) {
      T* row = weights.data + (begin + r) * weights.row;
      std::copy_n(s, columns, row);
      std::fill(row + columns, row + S, T(0));
    }
    if (keep)
#pragma omp simd
      for (int64_t j = 0; j < columns; ++j) s[j] *= keep[r * S + j];
  }
}

// `p` holds the tile's scores and becomes p m; `ds` holds g v^T and becomes the gradient of the
// scores. m: the dropout's multipliers `keep`. `max` and `inverse` are computed from p if null.
template <class T>
void softmax_rows_backward(const AttentionHead<T>& h, int64_t begin, int64_t rows, int64_t columns,
                           T* p, T* ds, const T* keep, const StridedMatrix<const T>& gw,
                           const T* max, const T* inverse) {
  const int64_t S = h.S, stride = score_stride<T>(S), used = whole_vectors<T>(columns);
  for (int64_t r = 0; r < rows; ++r) hide(h, begin + r, used, p + r * stride);
  for (int64_t r = 0; r < rows; ++r) {
    T* pr = p + r * stride;
    const T m = max ? max[begin + r] : largest_score(used, pr);
    T factor = inverse ? inverse[begin + r] : 1;
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) pr[j] = exp_of_negative(pr[j] - m) * factor;
    if (inverse) continue;
    factor = one_over_sum(used, pr);
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) pr[j] *= factor;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const T* pr = p + r * stride;
    T* dr = ds + r * stride;
    if (keep)
#pragma omp simd
      for (int64_t j = 0; j < columns; ++j) dr[j] *= keep[r * S + j];
    if (gw.data)
      for (int64_t j = 0; j < columns; ++j) dr[j] += gw.data[(begin + r) * gw.row + j * gw.col];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) dr[j] = pr[j] == 0 ? T(0) : dr[j];
  }
  for (int64_t r = 0; r < rows; ++r) {
    T *pr = p + r * stride, *dr = ds + r * stride;
    const T dot = sum_pieces<T>(used, [&](int64_t j) { return pr[j] * dr[j]; });
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) dr[j] = pr[j] == 0 ? T(0) : pr[j] * (dr[j] - dot);
    if (keep)
#pragma omp simd
      for (int64_t j = 0; j < columns; ++j) pr[j] *= keep[r * S + j];
  }
}

}  // namespace
}  // namespace slope
