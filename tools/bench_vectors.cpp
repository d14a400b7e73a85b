#include <slope/tools/bench_vectors.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace slope::tools {

namespace {

// Ten chains: a multiply-add takes 4 cycles and two begin in each, so eight would just do.
#define SLOPE_CHAINS(STEP) STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9)
constexpr double chains = 10;

#if defined(__x86_64__)
#define SLOPE_START(i) __m512 x##i = _mm512_set1_ps(i);
#define SLOPE_STEP(i) x##i = _mm512_fmadd_ps(x##i, factor, term);
#define SLOPE_ADD(i) sum = _mm512_add_ps(sum, x##i);
__attribute__((target("avx512f"))) float fma_512(int64_t rounds) {
  const __m512 factor = _mm512_set1_ps(0.5F), term = _mm512_set1_ps(1);
  SLOPE_CHAINS(SLOPE_START)
  for (int64_t r = 0; r < rounds; ++r) {
    SLOPE_CHAINS(SLOPE_STEP)
  }
  __m512 sum = term;
  SLOPE_CHAINS(SLOPE_ADD)
  return _mm512_cvtss_f32(sum);
}
#undef SLOPE_START
#undef SLOPE_STEP
#undef SLOPE_ADD

__attribute__((target("avx512f"))) void triad_512(int64_t n, float* a, const float* b, const float* c) {
  for (int64_t i = 0; i < n; i += 16)
    _mm512_storeu_ps(a + i, _mm512_fmadd_ps(_mm512_set1_ps(3), _mm512_loadu_ps(c + i), _mm512_loadu_ps(b + i)));
}

#define SLOPE_START(i) __m256 x##i = _mm256_set1_ps(i);
#define SLOPE_STEP(i) x##i = _mm256_fmadd_ps(x##i, factor, term);
#define SLOPE_ADD(i) sum = _mm256_add_ps(sum, x##i);
__attribute__((target("avx2,fma"))) float fma_256(int64_t rounds) {
  const __m256 factor = _mm256_set1_ps(0.5F), term = _mm256_set1_ps(1);
  SLOPE_CHAINS(SLOPE_START)
  for (int64_t r = 0; r < rounds; ++r) {
    SLOPE_CHAINS(SLOPE_STEP)
  }
  __m256 sum = term;
  SLOPE_CHAINS(SLOPE_ADD)
  return _mm256_cvtss_f32(sum);
}
#undef SLOPE_START
#undef SLOPE_STEP
#undef SLOPE_ADD

__attribute__((target("avx2,fma"))) void triad_256(int64_t n, float* a, const float* b, const float* c) {
  for (int64_t i = 0; i < n; i += 8)
    _mm256_storeu_ps(a + i, _mm256_fmadd_ps(_mm256_set1_ps(3), _mm256_loadu_ps(c + i), _mm256_loadu_ps(b + i)));
}
#endif

using Four = float __attribute__((vector_size(16)));
#define SLOPE_START(i) Four x##i = {i, i, i, i};
#define SLOPE_STEP(i) x##i = x##i * factor + term;
#define SLOPE_ADD(i) sum += x##i;
float multiply_add_128(int64_t rounds) {
  const Four factor = {0.5F, 0.5F, 0.5F, 0.5F}, term = {1, 1, 1, 1};
  SLOPE_CHAINS(SLOPE_START)
  for (int64_t r = 0; r < rounds; ++r) {
    SLOPE_CHAINS(SLOPE_STEP)
  }
  Four sum = term;
  SLOPE_CHAINS(SLOPE_ADD)
  return sum[0];
}

void triad_128(int64_t n, float* a, const float* b, const float* c) {
  for (int64_t i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
}

}  // namespace

VectorLoops widest_vectors() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512 FMA", chains * 32, fma_512, triad_512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"AVX2 FMA", chains * 16, fma_256, triad_256};
#endif
  return {"128-bit multiply and add", chains * 8, multiply_add_128, triad_128};
}

}  // namespace slope::tools
