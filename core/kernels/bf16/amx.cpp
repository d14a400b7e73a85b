// AMX: a tile is 16 rows of 64 bytes; one instruction adds the product of 16 x 32 by 32 x 16 bf16
// numbers to 16 x 16 f32 sums. The system must have granted the tiles (core/product/bf16_unit.h).
#include <slope/core/kernels/bf16/bf16_attention.h>

namespace slope {
namespace {

constexpr int64_t W = Bf16Product::panel, row_unit = 16, depth_unit = 32, tile_row = 64;

// All eight tiles with all their rows; the hardware's layout.
struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
  TileConfig() {
    for (int t = 0; t < 8; ++t) {
      row_bytes[t] = tile_row;
      rows[t] = row_unit;
    }
  }
};

// Rows of C that the next call writes: prefetched while this one multiplies, because otherwise each
// store would wait for its line.
struct Fetched {
  const float* c;
  int64_t ldc, rows;

  void fetch(int64_t count) {
    for (; count > 0 && rows > 0; --count, --rows, c += ldc) {
      __builtin_prefetch(c, 1);
      __builtin_prefetch(c + 16, 1);
    }
  }
};

// Tiles 0 and 1: sums of rows 0-15, columns 0-15 and 16-31; tiles 2 and 3, if `two`: the same of
// rows 16-31. They are stored at `sums`, rows `stride` bytes apart.
template <bool two>
[[gnu::always_inline]] inline void rows_by_panel(int64_t padded_k, const uint16_t* a,
                                                 int64_t a_stride, const uint16_t* panel,
                                                 float* sums, int64_t stride, Fetched next) {
  constexpr int64_t panel_row = 2 * tile_row;
  const int64_t row_bytes = a_stride * static_cast<int64_t>(sizeof(uint16_t));
  _tile_zero(0);
  _tile_zero(1);
  if (two) {
    _tile_zero(2);
    _tile_zero(3);
  }
  const int64_t each_time =  // padded_k is 0 if no row sees a key
      padded_k == 0 ? 0 : (next.rows * depth_unit + padded_k - 1) / padded_k;
  for (int64_t p = 0; p < padded_k; p += depth_unit) {
    next.fetch(each_time);
    _tile_loadd(6, panel + p * W, panel_row);
    _tile_loadd(4, a + p, row_bytes);
    _tile_loadd(7, panel + p * W + tile_row / 2, panel_row);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (two) {
      _tile_loadd(5, a + row_unit * a_stride + p, row_bytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, stride);
  _tile_stored(1, sums + 16, stride);
  if (two) {
    float* below = sums + row_unit * stride / static_cast<int64_t>(sizeof(float));
    _tile_stored(2, below, stride);
    _tile_stored(3, below + 16, stride);
  }
}

void place(int64_t rows, int64_t columns, const float* sums, const Bf16Place& to) {
  const __m512 alpha = _mm512_set1_ps(to.alpha), beta = _mm512_set1_ps(to.beta);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; j += 16) {
      const __mmask16 mask = first_lanes(columns - j);
      float* y = to.c + r * to.ldc + j;
      __m512 x = _mm512_mul_ps(alpha, _mm512_load_ps(sums + r * W + j));
      if (to.bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(mask, to.bias + j));
      if (to.beta != 0) x = _mm512_add_ps(x, _mm512_mul_ps(beta, _mm512_maskz_loadu_ps(mask, y)));
      _mm512_mask_storeu_ps(y, mask, x);
    }
}

void multiply(int64_t m, int64_t n, int64_t k, const uint16_t* rows, const uint16_t* panels,
              const Bf16Place& to) {
  const int64_t padded_k = padded<depth_unit>(k), stride = row_stride<depth_unit>(k);
  const bool plain = to.alpha == 1 && to.beta == 0 && !to.bias;
  alignas(64) float sums[2 * row_unit * W];
  const TileConfig config;
  // compilers take tile loads for instructions that read no memory: packing must be done before
  asm volatile("" ::: "memory");
  _tile_loadconfig(&config);
  for (int64_t j = 0; j < n; j += W)
    for (int64_t i = 0; i < m; i += 2 * row_unit) {
      const int64_t height = std::min(2 * row_unit, m - i), columns = std::min(W, n - j);
      const uint16_t *a = rows + i * stride, *b = panels + j * padded_k;
      float* c = to.c + i * to.ldc + j;
      const bool in_place = plain && columns == W && height % row_unit == 0;
      float* out = in_place ? c : sums;
      const bool last = i + height == m;
      const int64_t next_i = last ? 0 : i + height, next_j = last ? j + W : j;
      const Fetched next{to.c + next_i * to.ldc + next_j, to.ldc,
                         next_j < n ? std::min(2 * row_unit, m - next_i) : 0};
      const int64_t out_stride = (in_place ? to.ldc : W) * static_cast<int64_t>(sizeof(float));
      if (height > row_unit)
        rows_by_panel<true>(padded_k, a, stride, b, out, out_stride, next);
      else
        rows_by_panel<false>(padded_k, a, stride, b, out, out_stride, next);
      if (!in_place)
        place(height, columns, sums,
              {to.alpha, to.beta, to.bias ? to.bias + j : nullptr, c, to.ldc});
    }
  _tile_release();
}

constexpr Bf16Product unit{row_unit, depth_unit, packing<row_unit, depth_unit, float>,
                           packing<row_unit, depth_unit, uint16_t>, multiply};

}  // namespace

Bf16Product amx_bf16_product() { return unit; }
AttentionKernels<float> amx_bf16_attention() { return bf16_attention<unit>(); }

}  // namespace slope
