// Attention of a single query, as in decoding, for which packing keys and values does not pay.
// Private to attention.cpp.
#pragma once

#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/product/row_dots.h>

namespace slope {
namespace {

// s_j = scale <q, k_j>
template <class T>
void scores_of_row(const AttentionHead<T>& h, int64_t columns, T* s) {
  rows_by_rows<T, 1>(columns, h.D, h.q.data, 0, h.k.data, h.k.row,
                     {h.scale, T(0), nullptr, s, 0, columns});
}

// o = sum_j p_j v_j for first <= j < end, + o if first > 0;
// with a mask, over the p_j that are not 0
template <class T>
void output_of_piece(const AttentionHead<T>& h, int64_t first, int64_t end, const T* p, T* o) {
  constexpr int64_t L = vector_size<T>, N = 2;
  const bool all = !h.mask.data && !h.causal;
  int64_t e = 0;
  for (; e + N * L <= h.E; e += N * L) {
    Vector<T> sums[N] = {};
    for (int64_t j = first; j < end; ++j)
      if (all || p[j] != 0) {
        const Vector<T> weight = p[j] - Vector<T>{};
        const T* v = h.v.data + j * h.v.row + e;
        unrolled<N>([&](auto n) __attribute__((always_inline)) {
          sums[n] = fused(weight, load<T>(v + n * L), sums[n]);
        });
      }
    if (first > 0)
      for (int64_t n = 0; n < N; ++n) sums[n] += load<T>(o + e + n * L);
    __builtin_memcpy(o + e, sums, sizeof(sums));
  }
  for (; e < h.E; ++e) {
    T sum = 0;
    for (int64_t j = first; j < end; ++j)
      if (all || p[j] != 0) sum = fma_(p[j], h.v.data[j * h.v.row + e], sum);
    o[e] = first > 0 ? o[e] + sum : sum;
  }
}

// o = sum_j p_j v_j, in the pieces of small_product.h
template <class T>
void output_of_row(const AttentionHead<T>& h, int64_t columns, const T* p, T* o) {
  for (int64_t first = 0; first == 0 || first < columns; first += attention_piece)
    output_of_piece(h, first, std::min(columns, first + attention_piece), p, o);
}

}  // namespace
}  // namespace slope
