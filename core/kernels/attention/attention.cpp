// With s = scale q k^T, p = softmax of what a row may see, m the dropout's multipliers:
//   o = (p m) v
//   dp = (g v^T) m + gw      ds = p (dp - <p, dp>)
//   dq = scale ds k      dk = scale ds^T q      dv = (p m)^T g
// A position that a query may not see has p = 0 exactly and takes part in no sum: where an operand
// holds nan or inf, products skip the zero factors. Loops along a row run over whole vectors;
// elements beyond the last column are 0 or never read. Under a causal mask a tile stops at the last
// column that one of its rows sees.
#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/attention/attention_row.h>
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/product/small_product.h>
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

// Row stride of the score tile: whole vectors, and never a power of two, which would map a column
// to a few cache lines.
template <class T>
int64_t score_stride(int64_t S) {
  return whole_panels<T>(S) + 16;
}

// A single query, as in decoding: forward does not pack keys and values for it.
template <class T>
bool is_alone(const AttentionHead<T>& h) {
  return h.L == 1 && h.q.col == 1 && h.k.col == 1 && h.v.col == 1;
}

template <class T>
int64_t backward_scratch(const AttentionHead<T>& h, int64_t tile) {
  const int64_t S = h.S, D = h.D, E = h.E,
                keys = (D + E) * whole_panels<T>(S) + S * (whole_panels<T>(D) + whole_panels<T>(E));
  return keys + tile * (whole_panels<T>(D) + whole_panels<T>(E) + 2 * score_stride<T>(S) + S) +
         11 * 16;
}

template <class T>
int64_t forward_scratch(const AttentionHead<T>& h, int64_t tile) {
  return is_alone(h) ? score_stride<T>(h.S) + h.S + 2 * 16 : backward_scratch(h, tile);
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

// The dropout multipliers of rows begin … begin + rows - 1, for their first columns, with a row
// stride of S.
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

template <class T>
void forward(const AttentionHead<T>& h, int64_t begin, int64_t end, int64_t tile,
             const StridedMatrix<T>& o, T* max, T* inverse, const StridedMatrix<T>& weights,
             T* scratch) {
  const int64_t S = h.S, stride = score_stride<T>(S);
  const bool alone = is_alone(h);
  T *p = take(scratch, tile * stride), *keep = h.dropout ? take(scratch, tile * S) : nullptr;
  T *k_t = alone ? nullptr : take(scratch, h.D * whole_panels<T>(S)),
    *v = alone ? nullptr : take(scratch, S * whole_panels<T>(h.E));
  const int64_t all_seen = columns_seen(h, end);
  if (!alone) {
    pack(h.D, all_seen, transposed(ref(h.k)), k_t);
    pack(all_seen, h.E, ref(h.v), v);
  }
  const bool may_skip = !alone && (h.mask.data || h.causal) && !is_finite(all_seen, h.E, v);
  for (; begin < end; begin += tile) {
    const int64_t rows = std::min(tile, end - begin), columns = columns_seen(h, begin + rows),
                  used = whole_vectors<T>(columns);
    if (alone)
      scores_of_row(h, columns, p);
    else
      product<T>(rows, used, h.D, h.scale, from(ref(h.q), begin, 0), k_t, h.D, p, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    // All rows take one step, then the next: the steps of neighbouring rows overlap, while those of
    // a single row wait for each other.
    for (int64_t r = 0; r < rows; ++r) hide(h, begin + r, used, p + r * stride);
    for (int64_t r = 0; r < rows; ++r) {
      const T m =
          max_lanes<T>(used, minus_infinity<T>, [s = p + r * stride](int64_t j) { return s[j]; });
      max[begin + r] = m != minus_infinity<T> ? m : 0;
    }
    for (int64_t r = 0; r < rows; ++r) {
      T* s = p + r * stride;
      const T m = max[begin + r];
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) s[j] = exp_of_negative(s[j] - m);
      const T sum = sum_lanes<T>(used, [&](int64_t j) { return s[j]; });
      inverse[begin + r] = sum == 0 ? 0 : 1 / sum;
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
    T* out = o.data + begin * o.row;
    if (alone)
      output_of_row(h, columns, p, out);
    else if (may_skip)
      product_of_nonzeros<T>(rows, h.E, columns, 1, {p, stride, 1}, v, all_seen, out, o.row, false);
    else
      product<T>(rows, h.E, columns, 1, {p, stride, 1}, v, all_seen, out, o.row);
  }
}

template <class T>
void backward(const AttentionHead<T>& h, int64_t tile, const StridedMatrix<const T>& g,
              const StridedMatrix<const T>& gw, const T* max, const T* inverse,
              const StridedMatrix<T>& dq, const StridedMatrix<T>& dk, const StridedMatrix<T>& dv,
              T* scratch) {
  const int64_t S = h.S, D = h.D, E = h.E, stride = score_stride<T>(S);
  T *k_t = take(scratch, D * whole_panels<T>(S)), *v_t = take(scratch, E * whole_panels<T>(S)),
    *k = take(scratch, S * whole_panels<T>(D)), *q = take(scratch, tile * whole_panels<T>(D)),
    *gs = take(scratch, tile * whole_panels<T>(E));
  T *p = take(scratch, tile * stride), *ds = take(scratch, tile * stride);
  T* keep = h.dropout ? take(scratch, tile * S) : nullptr;
  const bool alone = is_alone(h), masks = h.mask.data || h.causal;
  if (!alone) pack(D, S, transposed(ref(h.k)), k_t);
  pack(E, S, transposed(ref(h.v)), v_t);
  if (dq.data) pack(S, D, ref(h.k), k);
  const bool k_may_skip = masks && dq.data && !is_finite(S, D, k);
  // the last rows see all columns: they write, the others add
  for (int64_t begin = (h.L - 1) / tile * tile; begin >= 0; begin -= tile) {
    const bool add = begin + tile < h.L;
    const int64_t rows = std::min(tile, h.L - begin), columns = columns_seen(h, begin + rows),
                  used = whole_vectors<T>(columns);
    const StridedMatrix<const T> q_rows = from(ref(h.q), begin, 0), g_rows = from(ref(g), begin, 0);
    if (alone)
      scores_of_row(h, columns, p);
    else
      product<T>(rows, used, D, h.scale, q_rows, k_t, D, p, stride);
    product<T>(rows, used, E, 1, g_rows, v_t, E, ds, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    for (int64_t r = 0; r < rows; ++r) hide(h, begin + r, used, p + r * stride);
    for (int64_t r = 0; r < rows; ++r) {
      T* pr = p + r * stride;
      const T m = max[begin + r], factor = inverse[begin + r];
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) pr[j] = exp_of_negative(pr[j] - m) * factor;
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
      const T mean = sum_lanes<T>(used, [&](int64_t j) { return pr[j] * dr[j]; });
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) dr[j] = pr[j] == 0 ? T(0) : pr[j] * (dr[j] - mean);
      if (keep)
#pragma omp simd
        for (int64_t j = 0; j < columns; ++j) pr[j] *= keep[r * S + j];
    }
    const auto multiply = [&](int64_t m, int64_t n, int64_t terms, T alpha,
                              const StridedMatrix<const T>& a, const T* b, int64_t rows_of_b,
                              bool may_skip, T* c, int64_t c_row, bool add) {
      (may_skip ? product_of_nonzeros<T> : product<T>)(m, n, terms, alpha, a, b, rows_of_b, c,
                                                       c_row, add);
    };
    if (dq.data)
      multiply(rows, D, columns, h.scale, {ds, stride, 1}, k, S, k_may_skip,
               dq.data + begin * dq.row, dq.row, false);
    if (dk.data) {
      pack(rows, D, q_rows, q);
      multiply(columns, D, rows, h.scale, {ds, 1, stride}, q, rows, masks && !is_finite(rows, D, q),
               dk.data, dk.row, add);
    }
    if (dv.data) {
      pack(rows, E, g_rows, gs);
      multiply(columns, E, rows, 1, {p, 1, stride}, gs, rows, masks && !is_finite(rows, E, gs),
               dv.data, dv.row, add);
    }
  }
}

template <class T>
void fetch_rows(const StridedMatrix<const T>& x, int64_t rows, int64_t width) {
  if (x.data && x.col == 1)
    for (int64_t i = 0; i < rows; ++i) fetch(x.data + i * x.row, width);
}

}  // namespace

SLOPE_KERNELS(AttentionKernels, fetch_rows<T>, forward_scratch<T>, backward_scratch<T>, forward<T>,
              backward<T>)

}  // namespace slope
