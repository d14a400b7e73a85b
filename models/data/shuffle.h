// The random order of data: a function of seed and epoch (or step) alone, drawn from streams that
// no model uses.
#pragma once

#include <slope/core/tensor/random.h>

#include <numeric>
#include <vector>

namespace slope::data {

// RandomSite::stream of each use: the random order of examples, the random blocks of a step, and
// how an epoch splits a pair into subwords.
inline constexpr uint32_t order_stream = 0xD0 << 16, block_stream = 0xD1 << 16,
                          cut_stream = 0xD2 << 16;

// 0 … n-1 in random order (Fisher-Yates): each of the n! orders is equally likely.
inline std::vector<int64_t> permutation(int64_t n, const RandomSite& site) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) {
    const uint64_t j = uniform_below(site, i, static_cast<uint64_t>(i) + 1);
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace slope::data
