// Philox 4x32-10 (core/random.h) for many elements at once: which elements of a dropout are kept.
// Sixteen blocks stand side by side, so that a vector holds the same word of each: element i takes word i % 64 / 16 of block 16 (i / 64) + i % 16.
#pragma once

#include <slope/core/random.h>

namespace slope {
namespace {

constexpr int64_t philox_group = 64;  // elements of sixteen blocks

// bits[i] = the 32 bits of element 64 group + i.
[[gnu::always_inline]] inline void philox_bits(const RandomSite& site, int64_t group, uint32_t* bits) {
  constexpr int blocks = 16;
  uint32_t *c0 = bits, *c1 = bits + blocks, *c2 = bits + 2 * blocks, *c3 = bits + 3 * blocks;
  const auto first = static_cast<uint64_t>(group) * blocks;  // a multiple of 16: only the low half of the counter differs within a group
  for (uint32_t b = 0; b < blocks; ++b) {
    c0[b] = static_cast<uint32_t>(first) + b;
    c1[b] = site.site;
    c2[b] = site.step;
    c3[b] = site.stream + (static_cast<uint32_t>(first >> 32) << 24);
  }
  auto k0 = static_cast<uint32_t>(site.seed), k1 = static_cast<uint32_t>(site.seed >> 32);
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (int b = 0; b < blocks; ++b) {
      const uint64_t p0 = uint64_t{0xD2511F53} * c0[b], p1 = uint64_t{0xCD9E8D57} * c2[b];
      c0[b] = static_cast<uint32_t>(p1 >> 32) ^ c1[b] ^ k0;
      c1[b] = static_cast<uint32_t>(p1);
      c2[b] = static_cast<uint32_t>(p0 >> 32) ^ c3[b] ^ k1;
      c3[b] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
}

// f(i, bits) for the elements first … first + n - 1, i counting from 0.
template <class F>
[[gnu::always_inline]] inline void for_each_bits(const RandomSite& site, int64_t first, int64_t n, F f) {
  alignas(64) uint32_t bits[philox_group];
  int64_t group = first / philox_group;
  int64_t skip = first % philox_group;
  for (int64_t done = 0; done < n; ++group, skip = 0) {
    philox_bits(site, group, bits);
    const int64_t count = n - done < philox_group - skip ? n - done : philox_group - skip;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) f(done + i, bits[skip + i]);
    done += count;
  }
}

}  // namespace
}  // namespace slope
