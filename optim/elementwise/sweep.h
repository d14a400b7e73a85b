// One parallel pass over the elements of many tensors, as if they were concatenated. Chunks depend
// only on the sizes.
#pragma once

#include <slope/core/loops/parallel.h>
#include <slope/core/memory/inline_vector.h>

#include <algorithm>
#include <cstdint>

namespace slope::optim {

constexpr int64_t sweep_grain = 1 << 14;  // elements of a chunk

// One entry per tensor; up to 16 need no allocation.
template <class T>
using PerTensor = InlineVector<T, 16>;

inline int64_t sweep_chunks(const PerTensor<int64_t>& sizes) {
  int64_t total = 0;
  for (int64_t n : sizes) total += n;
  return (total + sweep_grain - 1) / sweep_grain;
}

// Calls f(tensor, first element, number of elements, chunk); the parts of a chunk come in order, on
// one thread.
template <class F>
void sweep(const PerTensor<int64_t>& sizes, const F& f) {
  PerTensor<int64_t> ends(sizes.size());
  int64_t total = 0;
  for (size_t k = 0; k < sizes.size(); ++k) ends[k] = total += sizes[k];
  parallel_for(total, sweep_grain, [&](int64_t begin, int64_t end) {
    const int64_t chunk = begin / sweep_grain;
    auto k = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin());
    for (; begin < end; ++k) {
      const int64_t stop = std::min(end, ends[k]);
      if (begin < stop) f(k, begin - (ends[k] - sizes[k]), stop - begin, chunk);
      begin = stop;
    }
  });
}

}  // namespace slope::optim
