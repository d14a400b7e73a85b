// Attention of one head, with s = scale q k^T, p = softmax of the scores that a row may see, m the
// dropout's multipliers, g = dL/do, gw the gradient of the returned weights p:
//   o = (p m) v
//   dp = (g v^T) m + gw      ds = p (dp - <p, dp>)
//   dq = scale ds k      dk = scale ds^T q      dv = (p m)^T g
// A position that a query may not see has p = 0 exactly and takes part in no sum: where an operand
// holds nan or inf, products skip the zero factors. Loops along a row run over whole vectors;
// elements beyond the last column are 0 or never read. Under a causal mask a tile stops at the last
// column that one of its rows sees.
#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/attention/attention_row.h>
#include <slope/core/kernels/attention/score_tile.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/product/small_product.h>

namespace slope {
namespace {

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
    pack(h.D, all_seen, transposed(h.k), k_t);
    pack(all_seen, h.E, h.v, v);
  }
  const bool may_skip = !alone && (h.mask.data || h.causal) && !is_finite(all_seen, h.E, v);
  for (; begin < end; begin += tile) {
    const int64_t rows = std::min(tile, end - begin), columns = columns_seen(h, begin + rows),
                  used = whole_vectors<T>(columns);
    if (alone)
      scores_of_row(h, columns, p);
    else
      product<T>(rows, used, h.D, h.scale, from(h.q, begin, 0), k_t, h.D, p, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    softmax_rows(h, begin, rows, columns, p, keep, max, inverse, weights);
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
  if (!alone) pack(D, S, transposed(h.k), k_t);
  pack(E, S, transposed(h.v), v_t);
  if (dq.data) pack(S, D, h.k, k);
  const bool k_may_skip = masks && dq.data && !is_finite(S, D, k);
  // the last rows see all columns: they write dk and dv, the others add to them
  for (int64_t begin = (h.L - 1) / tile * tile; begin >= 0; begin -= tile) {
    const bool add = begin + tile < h.L;
    const int64_t rows = std::min(tile, h.L - begin), columns = columns_seen(h, begin + rows),
                  used = whole_vectors<T>(columns);
    const StridedMatrix<const T> q_rows = from(h.q, begin, 0), g_rows = from(g, begin, 0);
    if (alone)
      scores_of_row(h, columns, p);
    else
      product<T>(rows, used, D, h.scale, q_rows, k_t, D, p, stride);
    product<T>(rows, used, E, 1, g_rows, v_t, E, ds, stride);
    if (keep) draw(h, begin, rows, columns, keep);
    softmax_rows_backward(h, begin, rows, columns, p, ds, keep, gw, max, inverse);
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

template <class T>
bool takes_all(const AttentionHead<T>&, const StridedMatrix<const T>&) {
  return true;
}

}  // namespace

SLOPE_KERNELS(AttentionKernels, takes_all<T>, fetch_rows<T>, forward_scratch<T>,
              backward_scratch<T>, forward<T>, backward<T>)

}  // namespace slope
