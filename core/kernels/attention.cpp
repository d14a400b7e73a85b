// With s = scale q k^T, p = softmax of what a row may see, m the dropout's multipliers:   o = (p m) v
//   dp = (g v^T) m + gw      ds = p (dp - <p, dp>)      dq = scale ds k      dk = scale ds^T q      dv = (p m)^T g
// What a row may not see has p = 0 exactly, and takes part in no sum: where an operand holds nan or inf, products leave out the zero
// factors. Loops along a row run over whole vectors: what stands beyond column S is 0 or, after the dropout's multipliers, never read.
#include <slope/core/kernels/attention.h>
#include <slope/core/kernels/lanes.h>
#include <slope/core/kernels/philox.h>
#include <slope/core/kernels/small_product.h>

namespace slope {
namespace {

template <class T>
constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

// The next n elements of the scratch memory.
template <class T>
T* take(T*& scratch, int64_t n) {
  T* taken = scratch;
  scratch += (n + 15) / 16 * 16;
  return taken;
}

template <class T>
int64_t scratch_size(int64_t rows, int64_t S, int64_t D, int64_t E) {
  const int64_t keys = (D + E) * padded(S) + S * (padded(D) + padded(E));
  return keys + rows * (padded(D) + padded(E) + 2 * padded(S) + S) + padded(S) + 11 * 16;
}

// Which columns row i may see, as 1 and 0, padded with 0. `seen` is only written again where it differs from the row before.
template <class T>
void fill_seen(const AttentionHead<T>& h, int64_t i, bool first, T* seen) {
  if (!first && !h.causal && !(h.mask.data && h.mask.row != 0)) return;
  const int64_t S = h.S, last = i + S - h.L + 1, width = padded(S);
  const auto end = static_cast<int>(!h.causal || last > S ? S : last < 0 ? 0 : last);
#pragma omp simd
  for (int j = 0; j < static_cast<int>(width); ++j) seen[j] = j < end ? T(1) : T(0);
  if (const bool* allowed = h.mask.data) {
    allowed += i * h.mask.row;
    for (int64_t j = 0; j < end; ++j) seen[j] = allowed[j * h.mask.col] ? T(1) : T(0);
  }
}

// Scores -> scale times the score where the row may look, -inf elsewhere.
template <class T>
void scale_and_mask(int64_t width, T scale, const T* seen, T* s) {
#pragma omp simd
  for (int64_t j = 0; j < width; ++j) s[j] = seen[j] != 0 ? s[j] * scale : minus_infinity<T>;
}

template <class T>
void draw(const AttentionHead<T>& h, int64_t begin, int64_t rows, T* multipliers) {
  const auto scale = static_cast<T>(h.dropout->scale);
  const uint32_t threshold = h.dropout->threshold;
  for_each_bits(h.dropout->site, h.first_weight + begin * h.S, rows * h.S,
                [=](int64_t i, uint32_t bits) { multipliers[i] = bits >= threshold ? scale : T(0); });
}

template <class T>
void forward(const AttentionHead<T>& h, int64_t begin, int64_t end, HeadMatrix<T> o, T* max, T* inverse, T* weights, T* scratch) {
  const int64_t rows = end - begin, S = h.S, width = padded(S), used = whole_vectors<T>(S);
  T *k_t = take(scratch, h.D * width), *v = take(scratch, S * padded(h.E)), *p = take(scratch, rows * width), *seen = take(scratch, width);
  T* keep = h.dropout ? take(scratch, rows * S) : nullptr;
  pack_transposed(S, h.D, h.k, k_t);
  const bool finite = pack(S, h.E, h.v, v);
  product<T>(rows, used, h.D, {h.q.data + begin * h.q.row, h.q.row, h.q.col}, k_t, width, p, width);
  if (keep) draw(h, begin, rows, keep);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = begin + r;
    T* s = p + r * width;
    fill_seen(h, i, r == 0, seen);
    scale_and_mask(used, h.scale, seen, s);
    const T m = max_lanes<T>(used, minus_infinity<T>, [&](int64_t j) { return s[j]; });
    const bool sees = m != minus_infinity<T>;
    max[i] = sees ? m : 0;
    const T shift = max[i];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) s[j] = exp_(s[j] - shift);
    const T factor = inverse[i] = sees ? 1 / sum_lanes<T>(used, [&](int64_t j) { return s[j]; }) : 0;
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) s[j] *= factor;
    if (weights)
      for (int64_t j = 0; j < S; ++j) weights[i * S + j] = s[j];
    if (keep)
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) s[j] *= keep[r * S + j];
  }
  const HeadMatrix<const T> a{p, width, 1};
  T* out = o.data + begin * o.row;
  if (finite || !(h.mask.data || h.causal))
    product<T>(rows, h.E, S, a, v, padded(h.E), out, o.row);
  else
    product_of_nonzeros<T>(rows, h.E, S, a, v, padded(h.E), out, o.row, false);
}

template <class T>
void backward(const AttentionHead<T>& h, int64_t begin, int64_t end, HeadMatrix<const T> g, HeadMatrix<const T> gw, const T* max,
              const T* inverse, HeadMatrix<T> dq, HeadMatrix<T> dk, HeadMatrix<T> dv, T* scratch) {
  const int64_t rows = end - begin, S = h.S, D = h.D, E = h.E, width = padded(S), used = whole_vectors<T>(S);
  T *k_t = take(scratch, D * width), *v_t = take(scratch, E * width), *k = take(scratch, S * padded(D)),
    *q = take(scratch, rows * padded(D));
  T *gs = take(scratch, rows * padded(E)), *p = take(scratch, rows * width), *ds = take(scratch, rows * width),
    *seen = take(scratch, width);
  T* keep = h.dropout ? take(scratch, rows * S) : nullptr;
  const HeadMatrix<const T> q_rows{h.q.data + begin * h.q.row, h.q.row, h.q.col}, g_rows{g.data + begin * g.row, g.row, g.col};
  pack_transposed(S, D, h.k, k_t);
  pack_transposed(S, E, h.v, v_t);
  const bool masks = h.mask.data || h.causal;
  const bool k_finite = !dq.data || pack(S, D, h.k, k), q_finite = !dk.data || pack(rows, D, q_rows, q),
             g_finite = !dv.data || pack(rows, E, g_rows, gs);
  product<T>(rows, used, D, q_rows, k_t, width, p, width);
  product<T>(rows, used, E, g_rows, v_t, width, ds, width);
  if (keep) draw(h, begin, rows, keep);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = begin + r;
    T *pr = p + r * width, *dr = ds + r * width;
    fill_seen(h, i, r == 0, seen);
    scale_and_mask(used, h.scale, seen, pr);
    const T m = max[i], factor = inverse[i];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) pr[j] = exp_(pr[j] - m) * factor;
    const T* mult = keep ? keep + r * S : nullptr;
    if (mult)
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) dr[j] *= mult[j];
    if (gw.data)
      for (int64_t j = 0; j < S; ++j) dr[j] += gw.data[i * gw.row + j * gw.col];
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) dr[j] = pr[j] == 0 ? T(0) : dr[j];
    const T mean = sum_lanes<T>(used, [&](int64_t j) { return pr[j] * dr[j]; });
#pragma omp simd
    for (int64_t j = 0; j < used; ++j) dr[j] = pr[j] == 0 ? T(0) : pr[j] * (dr[j] - mean) * h.scale;
    if (mult)
#pragma omp simd
      for (int64_t j = 0; j < used; ++j) pr[j] *= mult[j];
  }
  const auto multiply = [&](int64_t m, int64_t n, int64_t terms, HeadMatrix<const T> a, const T* b, bool finite, T* c, int64_t c_row,
                            bool add) {
    if (finite || !masks)
      product<T>(m, n, terms, a, b, padded(n), c, c_row, add);
    else
      product_of_nonzeros<T>(m, n, terms, a, b, padded(n), c, c_row, add);
  };
  if (dq.data) multiply(rows, D, S, {ds, width, 1}, k, k_finite, dq.data + begin * dq.row, dq.row, false);
  if (dk.data) multiply(S, D, rows, {ds, 1, width}, q, q_finite, dk.data, dk.row, begin > 0);
  if (dv.data) multiply(S, E, rows, {p, 1, width}, gs, g_finite, dv.data, dv.row, begin > 0);
}

template <class T>
AttentionKernels<T> all() {
  return {scratch_size<T>, forward<T>, backward<T>};
}

}  // namespace

template <>
AttentionKernels<float> variant<AttentionKernels<float>, Isa::SLOPE_ISA>() {
  return all<float>();
}
template <>
AttentionKernels<double> variant<AttentionKernels<double>, Isa::SLOPE_ISA>() {
  return all<double>();
}

}  // namespace slope
