// AVX512-BF16: a lane of vdpbf16ps adds two products of bf16 numbers to an f32 sum.
#include <slope/core/kernels/bf16/bf16_attention.h>

#include <utility>

namespace slope {
namespace {

constexpr int64_t W = Bf16Product::panel, depth_unit = 2;
constexpr int block_rows = 12, rows_of_group = 4;  // 24 sums of one vector each

// Multiplies R rows of A by a panel of two vectors: sums[r][v] = sum over p of A[r][p] * b[p][v].
template <int R>
[[gnu::always_inline]] inline void rows_by_panel(int64_t padded_k, const uint16_t* a,
                                                 int64_t stride, const uint16_t* panel,
                                                 int64_t columns, const Bf16Place& to) {
  constexpr int groups = (R + rows_of_group - 1) / rows_of_group;
  const __mmask16 masks[2] = {first_lanes(columns), first_lanes(columns - 16)};
  for (int r = 0; r < R; ++r) {
    __builtin_prefetch(to.c + r * to.ldc, 1);
    __builtin_prefetch(to.c + r * to.ldc + columns - 1, 1);
  }
  __m512 sums[R][2];
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
  const uint16_t* group[groups];
  for (int g = 0; g < groups; ++g) {
    group[g] = a + g * rows_of_group * stride;
    asm("" : "+r"(group[g]));  // a pointer for each group, or the compiler would use only one
  }
#pragma GCC unroll 2
  for (int64_t p = 0; p < padded_k; p += 2) {
    const __m512bh b0 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(panel + p * W)),
                   b1 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(panel + p * W + 32));
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      int pair;
      __builtin_memcpy(&pair, group[r / rows_of_group] + r % rows_of_group * stride + p,
                       sizeof(pair));
      const __m512bh x = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, b0);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, b1);
    }
  }
  const __m512 alpha = _mm512_set1_ps(to.alpha), beta = _mm512_set1_ps(to.beta);
#pragma GCC unroll 12
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      float* y = to.c + r * to.ldc + 16 * v;
      __m512 x = _mm512_mul_ps(alpha, sums[r][v]);
      if (to.bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(masks[v], to.bias + 16 * v));
      if (to.beta != 0)
        x = _mm512_add_ps(x, _mm512_mul_ps(beta, _mm512_maskz_loadu_ps(masks[v], y)));
      _mm512_mask_storeu_ps(y, masks[v], x);
    }
}

// The same for 1 … R rows.
template <int R = block_rows>
[[gnu::noinline]] void some_rows_by_panel(int64_t rows, int64_t padded_k, const uint16_t* a,
                                          int64_t stride, const uint16_t* panel, int64_t columns,
                                          const Bf16Place& to) {
  if constexpr (R > 1)
    if (rows < R) return some_rows_by_panel<R - 1>(rows, padded_k, a, stride, panel, columns, to);
  rows_by_panel<R>(padded_k, a, stride, panel, columns, to);
}

void multiply(int64_t m, int64_t n, int64_t k, const uint16_t* rows, const uint16_t* panels,
              const Bf16Place& to) {
  const int64_t padded_k = padded<depth_unit>(k), stride = row_stride<depth_unit>(k);
  const int64_t blocks = (m + block_rows - 1) / block_rows;
  for (int64_t j = 0; j < n; j += W)
    for (int64_t block = 0, i = 0; block < blocks; ++block) {
      const int64_t height = (m - i + blocks - block - 1) / (blocks - block);  // 16 rows: 8 + 8
      some_rows_by_panel(
          height, padded_k, rows + i * stride, stride, panels + j * padded_k, std::min(W, n - j),
          {to.alpha, to.beta, to.bias ? to.bias + j : nullptr, to.c + i * to.ldc + j, to.ldc});
      i += height;
    }
}

constexpr Bf16Product unit{1, depth_unit, packing<1, depth_unit, float>,
                           packing<1, depth_unit, uint16_t>, multiply};

}  // namespace

Bf16Product avx512_bf16_product() { return unit; }
AttentionKernels<float> avx512_bf16_attention() { return bf16_attention<unit>(); }

}  // namespace slope
