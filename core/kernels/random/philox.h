// Philox 4x32-10 (core/tensor/random.h) for many elements at once: for uniform and normal numbers,
// and to choose the elements that a dropout keeps. Sixteen blocks lie side by side, so that a
// vector holds the same word of each: element i takes word i % 64 / 16 of block
// i / 64 * 16 + i % 16.
#pragma once

#include <slope/core/tensor/random.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace slope {
namespace {

constexpr int64_t philox_group = 64;  // elements of sixteen blocks
constexpr uint32_t philox_factor[] = {0xD2511F53, 0xCD9E8D57},
                   philox_step[] = {0x9E3779B9, 0xBB67AE85};

#if defined(__AVX512F__)

// bits[i] = the 32 bits of element 64 group + i. A state word occupies the low half of a 64-bit
// lane, where the product reads it; the high half is never read.
[[gnu::always_inline]] inline void philox_bits(const RandomSite& site, int64_t group,
                                               uint32_t* bits) {
  typedef uint64_t Words __attribute__((vector_size(64)));
  const auto product = [](Words x, uint64_t factor) __attribute__((always_inline)) {
    return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)x, (__m512i)(factor - Words{}));
  };
  const auto first = static_cast<uint64_t>(group) * 16;
  Words a[4], b[4];  // of blocks 0 … 7 and 8 … 15
  a[0] = first + Words{0, 1, 2, 3, 4, 5, 6, 7};
  b[0] = first + Words{8, 9, 10, 11, 12, 13, 14, 15};
  a[1] = b[1] = site.site - Words{};
  a[2] = b[2] = site.step - Words{};
  a[3] = b[3] =
      static_cast<uint32_t>(site.stream + (static_cast<uint32_t>(first >> 32) << 24)) - Words{};
  auto k0 = static_cast<uint32_t>(site.seed), k1 = static_cast<uint32_t>(site.seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const uint64_t key0 = k0, key1 = k1;
    for (Words* c : {a, b}) {
      const Words p0 = product(c[0], philox_factor[0]), p1 = product(c[2], philox_factor[1]);
      c[0] = (p1 >> 32) ^ c[1] ^ key0;
      c[2] = (p0 >> 32) ^ c[3] ^ key1;
      c[1] = p1;
      c[3] = p0;
    }
    k0 += philox_step[0];
    k1 += philox_step[1];
  }
  const __m512i low_halves =
      _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  // one store of 64 bytes: two halves could not be forwarded to the load of the whole
  for (int word = 0; word < 4; ++word)
    _mm512_storeu_si512(bits + word * 16,
                        _mm512_permutex2var_epi32((__m512i)a[word], low_halves, (__m512i)b[word]));
}

#elif defined(__AVX2__)

// philox_bits with AVX2. Of eight blocks, `a` holds 0 1 4 5 and `b` holds 2 3 6 7: packing their
// low halves puts them in order.
[[gnu::always_inline]] inline void philox_bits(const RandomSite& site, int64_t group,
                                               uint32_t* bits) {
  const auto first = static_cast<uint64_t>(group) * 16;
  const __m256i f0 = _mm256_set1_epi64x(philox_factor[0]),
                f1 = _mm256_set1_epi64x(philox_factor[1]);
  for (int half = 0; half < 2; ++half) {
    const __m256i start =
        _mm256_set1_epi64x(static_cast<int64_t>(first + static_cast<uint64_t>(half) * 8));
    __m256i a[4], b[4];
    a[0] = _mm256_add_epi64(start, _mm256_setr_epi64x(0, 1, 4, 5));
    b[0] = _mm256_add_epi64(start, _mm256_setr_epi64x(2, 3, 6, 7));
    a[1] = b[1] = _mm256_set1_epi64x(site.site);
    a[2] = b[2] = _mm256_set1_epi64x(site.step);
    a[3] = b[3] = _mm256_set1_epi64x(
        static_cast<uint32_t>(site.stream + (static_cast<uint32_t>(first >> 32) << 24)));
    auto k0 = static_cast<uint32_t>(site.seed), k1 = static_cast<uint32_t>(site.seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (__m256i* c : {a, b}) {
        const __m256i p0 = _mm256_mul_epu32(c[0], f0), p1 = _mm256_mul_epu32(c[2], f1);
        c[0] = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c[1], key0));
        c[2] = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c[3], key1));
        c[1] = p1;
        c[3] = p0;
      }
      k0 += philox_step[0];
      k1 += philox_step[1];
    }
    for (int word = 0; word < 4; ++word) {
      const __m256 low =
          _mm256_shuffle_ps(_mm256_castsi256_ps(a[word]), _mm256_castsi256_ps(b[word]), 0x88);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(bits + word * 16 + half * 8),
                          _mm256_castps_si256(low));
    }
  }
}

#else

[[gnu::always_inline]] inline void philox_bits(const RandomSite& site, int64_t group,
                                               uint32_t* bits) {
  constexpr int blocks = 16;
  uint32_t *c0 = bits, *c1 = bits + blocks, *c2 = bits + 2 * blocks, *c3 = bits + 3 * blocks;
  // a multiple of 16: within a group only the low half of the counter differs
  const auto first = static_cast<uint64_t>(group) * blocks;
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
      const uint64_t p0 = uint64_t{philox_factor[0]} * c0[b],
                     p1 = uint64_t{philox_factor[1]} * c2[b];
      c0[b] = static_cast<uint32_t>(p1 >> 32) ^ c1[b] ^ k0;
      c1[b] = static_cast<uint32_t>(p1);
      c2[b] = static_cast<uint32_t>(p0 >> 32) ^ c3[b] ^ k1;
      c3[b] = static_cast<uint32_t>(p0);
    }
    k0 += philox_step[0];
    k1 += philox_step[1];
  }
}

#endif

// f(i, bits) for the elements first … first + n - 1, i counting from 0.
template <class F>
[[gnu::always_inline]] inline void for_each_bits(const RandomSite& site, int64_t first, int64_t n,
                                                 F f) {
  alignas(64) uint32_t bits[philox_group];
  int64_t group = first / philox_group, skip = first % philox_group;
  for (int64_t done = 0; done < n; ++group) {
    philox_bits(site, group, bits);
    if (skip == 0 && n - done >= philox_group) {
#pragma omp simd
      for (int64_t i = 0; i < philox_group; ++i) f(done + i, bits[i]);
      done += philox_group;
    } else {
      const int64_t count = n - done < philox_group - skip ? n - done : philox_group - skip;
      for (int64_t i = 0; i < count; ++i) f(done + i, bits[skip + i]);
      done += count;
      skip = 0;
    }
  }
}

}  // namespace
}  // namespace slope
