// Attention of one head whose products round their operands to bf16; scores, softmax and results
// stay f32. The formulas and letters are those of attention.cpp. Private to the files of the CPU's
// bf16 units (amx.cpp, avx512_bf16.cpp), which pass their product as `unit`.
#pragma once

#include <slope/core/kernels/attention/score_tile.h>
#include <slope/core/kernels/bf16/bf16_pack.h>
#include <slope/core/kernels/prefetch.h>

namespace slope {
namespace {

using Head = AttentionHead<float>;
using Const = StridedMatrix<const float>;

inline Const transposed(const Const& x) { return {x.data, x.col, x.row}; }

// A product of fewer multiply-adds is not worth packing.
constexpr int64_t least_work = 1 << 14;

// Whether no element of x is beyond bf16's largest number, so that all stay finite when rounded.
inline bool stays_finite(const Const& x, int64_t rows, int64_t width) {
  const __m512 most = _mm512_set1_ps(3.38953139e38F);  // of bf16
  __mmask16 beyond = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < width; j += 16)
      beyond |= _mm512_cmp_ps_mask(
          _mm512_abs_ps(_mm512_maskz_loadu_ps(first_lanes(width - j), x.data + i * x.row + j)),
          most, _CMP_NLE_UQ);
  return beyond == 0;
}

// Whether a head has contiguous rows and is worth packing. A masked position still takes part in
// the sums, with weight 0; this adds 0 only if the number it is multiplied with is finite.
inline bool takes(const Head& h, const Const& g) {
  const bool masks = h.mask.data || h.causal;
  const auto fits = [&](const Const& x, int64_t rows, int64_t width, bool is_factor) {
    return x.col == 1 && (!masks || !is_factor || stays_finite(x, rows, width));
  };
  return h.L > 1 && h.L * h.S * std::min(h.D, h.E) >= least_work && fits(h.q, h.L, h.D, g.data) &&
         fits(h.k, h.S, h.D, g.data) && fits(h.v, h.S, h.E, !g.data) &&
         (!g.data || fits(g, h.L, h.E, true));
}

// Takes scratch memory for n bf16 numbers.
inline uint16_t* take_bf16(float*& scratch, int64_t n) {
  return reinterpret_cast<uint16_t*>(take(scratch, (n + 1) / 2));
}

// A packed operand B of `depth` terms and n columns.
template <const Bf16Product& unit>
struct Panels {
  int64_t depth, n;
  uint16_t* data;

  Panels(float*& scratch, int64_t depth_, int64_t n_)
      : depth(depth_), n(n_), data(take_bf16(scratch, unit.panels_size(n, depth))) {}
  void pack(const Const& b) const { unit.pack.panels(n, depth, b, data, unit.panel_stride(depth)); }
  // C (m, columns) = alpha A B + beta C over k terms, from `first` on, and B's first `columns`.
  void multiply(int64_t m, int64_t columns, int64_t k, const uint16_t* rows, float alpha,
                float beta, float* c, int64_t ldc, int64_t first = 0) const {
    constexpr int64_t W = Bf16Product::panel;
    if (unit.padded(k) == unit.padded(depth))
      return unit.multiply(m, columns, k, rows, data, {alpha, beta, nullptr, c, ldc});
    for (int64_t j = 0; j < columns; j += W)
      unit.multiply(m, std::min(W, columns - j), k, rows, data + j * unit.padded(depth) + first * W,
                    {alpha, beta, nullptr, c + j, ldc});
  }
  // C (m, n) = alpha A B over the first k terms, in pieces; each piece of A is packed in `rows`.
  void multiply_pieces(int64_t m, int64_t k, const float* a, int64_t lda, uint16_t* rows,
                       float alpha, float* c, int64_t ldc) const {
    constexpr int64_t piece = 2 * attention_piece;  // a term is half of a pair
    for (int64_t first = 0; first == 0 || first < k; first += piece) {
      const int64_t deep = std::min(piece, k - first);
      unit.pack.rows(m, deep, {a + first, lda, 1}, rows, unit.row_stride(deep));
      multiply(m, n, deep, rows, alpha, first > 0 ? 1.0F : 0.0F, c, ldc, first);
    }
  }
};

template <const Bf16Product& unit>
int64_t bf16_scratch(const Head& h, int64_t tile) {
  const int64_t S = h.S, D = h.D, E = h.E, stride = score_stride<float>(S);
  const int64_t packed = unit.panels_size(S, D) + unit.panels_size(S, E) + unit.panels_size(D, S) +
                         unit.panels_size(E, S) + unit.panels_size(D, tile) +
                         unit.panels_size(E, tile) + unit.rows_size(tile, D) +
                         unit.rows_size(tile, E) + unit.rows_size(tile, S) +
                         unit.rows_size(S, tile);
  return packed / 2 + tile * (2 * stride + S) + 16 * 16;
}

template <const Bf16Product& unit>
void bf16_forward(const Head& h, int64_t begin, int64_t end, int64_t tile,
                  const StridedMatrix<float>& o, float* max, float* inverse,
                  const StridedMatrix<float>& weights, float* scratch) {
  const int64_t S = h.S, D = h.D, E = h.E, stride = score_stride<float>(S);
  const int64_t all_seen = columns_seen(h, end);
  float *p = take(scratch, tile * stride), *keep = h.dropout ? take(scratch, tile * S) : nullptr;
  uint16_t *q_rows = take_bf16(scratch, unit.rows_size(tile, D)),
           *p_rows = take_bf16(scratch, unit.rows_size(tile, S));
  const Panels<unit> k_t(scratch, D, all_seen), v(scratch, all_seen, E);
  k_t.pack(transposed(h.k));
  v.pack(h.v);
  for (; begin < end; begin += tile) {
    const int64_t rows = std::min(tile, end - begin), columns = columns_seen(h, begin + rows);
    unit.pack.rows(rows, D, from(h.q, begin, 0), q_rows, unit.row_stride(D));
    k_t.multiply(rows, whole_vectors<float>(columns), D, q_rows, h.scale, 0, p, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    softmax_rows(h, begin, rows, columns, p, keep, max, inverse, weights);
    v.multiply_pieces(rows, columns, p, stride, p_rows, 1, o.data + begin * o.row, o.row);
  }
}

template <const Bf16Product& unit>
void bf16_backward(const Head& h, int64_t tile, const Const& g, const Const& gw, const float* max,
                   const float* inverse, const StridedMatrix<float>& dq,
                   const StridedMatrix<float>& dk, const StridedMatrix<float>& dv, float* scratch) {
  const int64_t S = h.S, D = h.D, E = h.E, stride = score_stride<float>(S);
  float *p = take(scratch, tile * stride), *ds = take(scratch, tile * stride),
        *keep = h.dropout ? take(scratch, tile * S) : nullptr;
  uint16_t *q_rows = take_bf16(scratch, unit.rows_size(tile, D)),
           *g_rows = take_bf16(scratch, unit.rows_size(tile, E)),
           *ds_rows = take_bf16(scratch, unit.rows_size(tile, S)),
           *key_rows = take_bf16(scratch, unit.rows_size(S, tile));
  const Panels<unit> k_t(scratch, D, S), v_t(scratch, E, S), k(scratch, S, D);
  k_t.pack(transposed(h.k));
  v_t.pack(transposed(h.v));
  if (dq.data) k.pack(h.k);
  // the last rows see all columns: they write dk and dv, the others add to them
  for (int64_t begin = (h.L - 1) / tile * tile; begin >= 0; begin -= tile) {
    const float add = begin + tile < h.L ? 1 : 0;
    const int64_t rows = std::min(tile, h.L - begin), columns = columns_seen(h, begin + rows),
                  used = whole_vectors<float>(columns);
    const Const q_tile = from(h.q, begin, 0), g_tile = from(g, begin, 0);
    unit.pack.rows(rows, D, q_tile, q_rows, unit.row_stride(D));
    unit.pack.rows(rows, E, g_tile, g_rows, unit.row_stride(E));
    k_t.multiply(rows, used, D, q_rows, h.scale, 0, p, stride);
    v_t.multiply(rows, used, E, g_rows, 1, 0, ds, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    softmax_rows_backward(h, begin, rows, columns, p, ds, keep, gw, max, inverse);
    if (dq.data)
      k.multiply_pieces(rows, columns, ds, stride, ds_rows, h.scale, dq.data + begin * dq.row,
                        dq.row);
    // d (columns, width) = alpha weights^T x + add d
    const auto add_transposed = [&](const float* weights, const Const& x, int64_t width,
                                    float alpha, const StridedMatrix<float>& d) {
      if (!d.data) return;
      float* rest = scratch;
      const Panels<unit> panels(rest, rows, width);
      panels.pack(x);
      unit.pack.rows(columns, rows, {weights, 1, stride}, key_rows, unit.row_stride(rows));
      panels.multiply(columns, width, rows, key_rows, alpha, add, d.data, d.row);
    };
    add_transposed(ds, q_tile, D, h.scale, dk);
    add_transposed(p, g_tile, E, 1, dv);
  }
}

inline void fetch_rows(const Const& x, int64_t rows, int64_t width) {
  if (x.data)
    for (int64_t i = 0; i < rows; ++i) fetch(x.data + i * x.row, width);
}

template <const Bf16Product& unit>
AttentionKernels<float> bf16_attention() {
  return {takes,
          fetch_rows,
          bf16_scratch<unit>,
          bf16_scratch<unit>,
          bf16_forward<unit>,
          bf16_backward<unit>};
}

}  // namespace
}  // namespace slope
