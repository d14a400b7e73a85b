// Where the heads of an attention lie in q, k, v and the mask: one head for each sequence and
// leading index. Private to autograd/ops.
#pragma once

#include <slope/autograd/ops/elementwise/dropout.h>
#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_gemm.h>
#include <slope/core/tensor/tensor.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace slope {

// A sequence: its rows of q (from first_row on, L of them) and of k and v (from first_key on, S of
// them). It is one head for each leading index.
struct AttentionSequence {
  int64_t first_row, L, first_key, S;
  int64_t first_weight;  // how many weights the sequences before it have, in one leading index
};

struct AttentionSizes {
  Dims leading;
  int64_t indices, L, S, D, E;
  std::vector<AttentionSequence> sequences;

  AttentionSizes(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& query_lengths,
                 const Tensor& key_lengths)
      : leading(q.shape().begin(), q.shape().end() - 2), indices(numel(leading)), L(q.size(-2)),
        S(k.size(-2)), D(q.size(-1)), E(v.size(-1)) {
    if (!query_lengths.defined() || query_lengths.numel() == 0) {
      sequences = {{0, L, 0, S, 0}};
      return;
    }
    const int64_t *ls = query_lengths.data<int64_t>(), *ss = key_lengths.data<int64_t>();
    AttentionSequence next{};
    for (int64_t i = 0; i < query_lengths.numel(); ++i) {
      next.L = ls[i], next.S = ss[i];
      sequences.push_back(next);
      next.first_row += next.L, next.first_key += next.S, next.first_weight += next.L * next.S;
    }
  }
  Dims with(int64_t rows_, int64_t cols) const {
    Dims shape = leading;
    shape.push_back(rows_);
    shape.push_back(cols);
    return shape;
  }
  int64_t weights() const {
    return sequences.back().first_weight + sequences.back().L * sequences.back().S;
  }

  // Heads are numbered by sequence, then by leading index.
  int64_t heads() const { return indices * static_cast<int64_t>(sequences.size()); }
  const AttentionSequence& sequence(int64_t head) const {
    return sequences[static_cast<size_t>(head / indices)];
  }
  int64_t index(int64_t head) const { return head % indices; }
  int64_t first_weight(int64_t head) const {
    const AttentionSequence& s = sequence(head);
    return s.first_weight * indices + index(head) * s.L * s.S;
  }
  // Where a head's statistics begin, one for each of its rows.
  int64_t first_statistic(int64_t head) const {
    const AttentionSequence& s = sequence(head);
    return s.first_row * indices + index(head) * s.L;
  }

  int64_t heads_per_chunk() const {
    const auto count = static_cast<int64_t>(sequences.size());
    return std::max<int64_t>(1, 200000 / std::max<int64_t>(1, weights() / count * (D + E)));
  }
  // A few heads with many rows are cut into parts to occupy all threads, although each part packs
  // the keys and values again. With several sequences none is cut.
  int64_t parts() const {
    return sequences.size() != 1
               ? 1
               : std::max<int64_t>(1, std::min(16 / std::max<int64_t>(indices, 1), L / 48));
  }
};

// The matrix at leading index `index` of a layout of shape leading + (rows, columns), from
// `first_row` and `first_column` on.
template <class T>
StridedMatrix<T> matrix_of(T* data, const Layout& layout, int64_t index, int64_t first_row,
                           int64_t first_column = 0) {
  const size_t rank = layout.shape.size();
  int64_t offset = first_row * layout.strides[rank - 2] + first_column * layout.strides[rank - 1];
  for (size_t d = rank - 2; d-- > 0; index /= layout.shape[d])
    offset += index % layout.shape[d] * layout.strides[d];
  return {data + offset, layout.strides[rank - 2], layout.strides[rank - 1]};
}

// The heads as kernels take them. q, k and v have dtype T, or bf16 if the node keeps them
// rounded (engine/kept.h). The arguments must outlive this.
template <class T>
struct AttentionHeads {
  const AttentionSizes& n;
  const Tensor &q, &k, &v, &mask;
  bool causal;
  double scale;
  std::optional<Keep> keep;
  Layout mask_at = mask.defined() ? mask.layout().broadcast_to(n.with(n.L, n.S)) : Layout{};

  template <class U>
  StridedMatrix<U> of_queries(U* data, const Layout& layout, int64_t h) const {
    return matrix_of(data, layout, n.index(h), n.sequence(h).first_row);
  }
  template <class U>
  StridedMatrix<U> of_keys(U* data, const Layout& layout, int64_t h) const {
    return matrix_of(data, layout, n.index(h), n.sequence(h).first_key);
  }
  template <class U>
  StridedMatrix<U> of_pairs(U* data, const Layout& layout, int64_t h) const {
    return matrix_of(data, layout, n.index(h), n.sequence(h).first_row, n.sequence(h).first_key);
  }
  bool is_bf16(const Tensor& x) const { return x.dtype() != dtype_of<T>; }
  // Elements of T that a head's q, k and v need when they are widened, in whole cache lines; 0 if
  // none of them is kept in bf16.
  int64_t widened_size() const {
    if (!is_bf16(q) && !is_bf16(k) && !is_bf16(v)) return 0;
    int64_t most = 0;
    for (const AttentionSequence& s : n.sequences)
      most = std::max(most, s.L * n.D + s.S * (n.D + n.E));
    return (most + 15) / 16 * 16;
  }
  // Rows first, first + 1, … of one head's x. Where x is kept in bf16, they are widened to the
  // memory at `wide`, which is then advanced; without such memory the matrix is null.
  StridedMatrix<const T> rows_of(const Tensor& x, int64_t h, int64_t first, int64_t rows,
                                 int64_t width, T*& wide) const {
    if (!is_bf16(x)) return matrix_of(x.data<T>(), x.layout(), n.index(h), first);
    if (!wide) return {};
    const StridedMatrix<const BFloat16> from =
        matrix_of(x.data<BFloat16>(), x.layout(), n.index(h), first);
    T* const to = wide;
    for (int64_t i = 0; i < rows; ++i, wide += width) {
      if constexpr (std::is_same_v<T, float>)
        if (from.col == 1) {
          kernels<Bf16Copy>().widen(width, bits_of(from.data + i * from.row), wide);
          continue;
        }
      for (int64_t j = 0; j < width; ++j) wide[j] = from.data[i * from.row + j * from.col];
    }
    return {to, width, 1};
  }
  AttentionHead<T> operator()(int64_t h, T* wide = nullptr) const {
    const AttentionSequence& s = n.sequence(h);
    StridedMatrix<const bool> allowed;
    if (mask.defined()) allowed = of_pairs(mask.data<bool>(), mask_at, h);
    return {s.L,
            s.S,
            n.D,
            n.E,
            rows_of(q, h, s.first_row, s.L, n.D, wide),
            rows_of(k, h, s.first_key, s.S, n.D, wide),
            rows_of(v, h, s.first_key, s.S, n.E, wide),
            allowed,
            causal,
            static_cast<T>(scale),
            keep ? &*keep : nullptr,
            n.first_weight(h)};
  }
  // Rows of a tile: a multiple of those that the product takes together. Under a causal mask a tile
  // computes every key that its last row sees, so small tiles waste less. But each tile also adds
  // to the gradients of all these keys, so tiles stay large if there are many keys, or if products
  // are fast (rounded).
  int64_t tile(int64_t h, bool rounded) const {
    const AttentionSequence& s = n.sequence(h);
    const int64_t together = rounded ? 16 : 12, most = !rounded && causal && s.S <= 256 ? 2 : 4;
    return std::min(
        s.L, together * std::clamp<int64_t>(65536 / std::max<int64_t>(s.S, 1) / together, 1, most));
  }
  // enough for each head
  int64_t scratch(int64_t (*of_head)(const AttentionHead<T>& head, int64_t tile),
                  bool rounded) const {
    int64_t most = 0;
    for (int64_t h = 0; h < n.heads(); h += n.indices)
      most = std::max(most, of_head((*this)(h), tile(h, rounded)));
    return most;
  }
  void fetch(const AttentionKernels<T>& kernel, int64_t h) const {  // into the cache
    const AttentionHead<T> head = (*this)(h);
    kernel.fetch(head.q, head.L, n.D);
    kernel.fetch(head.k, head.S, n.D);
    kernel.fetch(head.v, head.S, n.E);
  }
};

// The kernels of each head. Those whose products round to bf16 are used if this thread's precision
// is bf16, the CPU has a unit for it, and they can compute the head. The constructor reads the
// precision: construct it outside of parallel loops.
template <class T>
struct AttentionChoice {
  const AttentionKernels<T>& exact = kernels<AttentionKernels<T>>();
  const AttentionKernels<T>* rounding = nullptr;

  AttentionChoice() {
    if constexpr (std::is_same_v<T, float>)
      if (autocast_dtype() == bf16) rounding = bf16_attention();
  }
  bool rounds(const AttentionHead<T>& head, const StridedMatrix<const T>& g = {}) const {
    return rounding && rounding->takes(head, g);
  }
  const AttentionKernels<T>& operator()(bool rounded) const { return rounded ? *rounding : exact; }
  // enough for any choice
  int64_t scratch(const AttentionHeads<T>& heads,
                  int64_t (*AttentionKernels<T>::*of_head)(const AttentionHead<T>&,
                                                           int64_t)) const {
    return std::max(heads.scratch(exact.*of_head, false),
                    rounding ? heads.scratch(rounding->*of_head, true) : 0);
  }
};

}  // namespace slope
