// Attention of one head: its products and its softmax, on tiles that fit in the cache.
#pragma once

#include <slope/core/kernels/elementwise/dropout.h>
#include <slope/core/kernels/strided_matrix.h>

namespace slope {

// A sum of more products than this is made in pieces of this many: in f32 one chain would drift.
inline constexpr int64_t attention_piece = 1024;

template <class T>
struct AttentionHead {
  int64_t L, S, D, E;              // queries, keys, width of both, width of the values
  StridedMatrix<const T> q, k, v;  // (L, D), (S, D), (S, E)
  StridedMatrix<const bool> mask;  // (L, S), true where attention is allowed; null: everywhere
  bool causal;                     // row i sees columns up to i + S - L
  T scale;
  const Keep* dropout;   // null: none
  int64_t first_weight;  // index of weight (0, 0) in the dropout's draw
};

template <class T>
struct AttentionKernels {
  // Whether these kernels can compute such a head, in backward with its g (null in forward).
  bool (*takes)(const AttentionHead<T>& head, const StridedMatrix<const T>& g);
  // Prefetches rows of an operand of the next head, before this one is computed.
  void (*fetch)(const StridedMatrix<const T>& x, int64_t rows, int64_t width);
  // Number of scratch elements for a call with such a head.
  int64_t (*forward_scratch)(const AttentionHead<T>& head, int64_t tile);
  int64_t (*backward_scratch)(const AttentionHead<T>& head, int64_t tile);
  // Writes rows begin … end - 1, `tile` at a time: the output o; `max`, each row's largest score,
  // and `inverse`, 1 / sum exp(score - max) (both 0 if the row sees nothing); and, unless null, the
  // weights (L, S; column stride 1).
  void (*forward)(const AttentionHead<T>& head, int64_t begin, int64_t end, int64_t tile,
                  const StridedMatrix<T>& o, T* max, T* inverse, const StridedMatrix<T>& weights,
                  T* scratch);
  // dq, dk, dv (column stride 1) from g = dL/do and gw = dL/dweights (null: none). A null result is
  // not computed. Null `max` and `inverse` are computed from the scores. They must be null if the
  // head or its rounding differs from forward's, or a row's weights would not add up to 1.
  void (*backward)(const AttentionHead<T>& head, int64_t tile, const StridedMatrix<const T>& g,
                   const StridedMatrix<const T>& gw, const T* max, const T* inverse,
                   const StridedMatrix<T>& dq, const StridedMatrix<T>& dk,
                   const StridedMatrix<T>& dv, T* scratch);
};

}  // namespace slope
