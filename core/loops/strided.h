// for_each_run: walks N tensors of one shape together, in runs along one dim: calls f(run length,
// {offset of the run in each tensor}, {its stride in each}). Dims that can be walked as one are
// merged first, so that contiguous tensors are a single long run. Offsets count elements from the
// tensor's first.
#pragma once

#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/layout.h>

#include <array>

namespace slope {

template <size_t N>
struct Runs {
  Dims shape;  // outer dims, then the run's length last
  std::array<Dims, N> strides;

  explicit Runs(const Dims& full_shape, const std::array<const Dims*, N>& full_strides) {
    for (size_t d = 0; d < full_shape.size(); ++d) {
      if (full_shape[d] == 1) continue;
      bool merges = !shape.empty();
      for (size_t k = 0; k < N && merges; ++k)
        merges = strides[k].back() == full_shape[d] * (*full_strides[k])[d];
      if (merges) {
        shape.back() *= full_shape[d];
        for (size_t k = 0; k < N; ++k) strides[k].back() = (*full_strides[k])[d];
      } else {
        shape.push_back(full_shape[d]);
        for (size_t k = 0; k < N; ++k) strides[k].push_back((*full_strides[k])[d]);
      }
    }
    if (shape.empty()) {
      shape.push_back(1);
      for (auto& s : strides) s.push_back(1);
    }
  }
};

// Long runs are cut and short ones grouped into chunks of about `grain` elements. Chunks depend on
// shape and strides alone. Each chunk ends with finish().
template <size_t N, class F, class G>
void for_each_run(const Dims& shape, const std::array<const Dims*, N>& strides, int64_t grain,
                  F&& f, G&& finish) {
  if (numel(shape) == 0) return;
  const Runs<N> runs(shape, strides);
  const int64_t length = runs.shape.back(), outer = numel(runs.shape) / length;
  const int64_t pieces = std::max<int64_t>(1, length / grain);  // of one run
  const int64_t piece = (length + pieces - 1) / pieces;
  const int64_t rank = static_cast<int64_t>(runs.shape.size());
  parallel_for(outer * pieces, std::max<int64_t>(1, grain / std::max<int64_t>(piece, 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t from = i % pieces * piece, to = std::min(length, from + piece);
                   if (from >= to) continue;
                   std::array<int64_t, N> offsets, steps;
                   for (size_t k = 0; k < N; ++k) {
                     steps[k] = runs.strides[k][static_cast<size_t>(rank - 1)];
                     offsets[k] = from * steps[k];
                   }
                   int64_t rest = i / pieces;
                   for (int64_t d = rank - 2; d >= 0; --d) {
                     const int64_t at = rest % runs.shape[static_cast<size_t>(d)];
                     rest /= runs.shape[static_cast<size_t>(d)];
                     for (size_t k = 0; k < N; ++k)
                       offsets[k] += at * runs.strides[k][static_cast<size_t>(d)];
                   }
                   f(to - from, offsets, steps);
                 }
                 finish();
               });
}
template <size_t N, class F>
void for_each_run(const Dims& shape, const std::array<const Dims*, N>& strides, int64_t grain,
                  F&& f) {
  for_each_run<N>(shape, strides, grain, f, [] {});
}

}  // namespace slope
