#include <slope/core/kernels/bf16/bf16_product.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_gemm.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/gemm.h>
#include <slope/core/tensor/bfloat16.h>

#include <algorithm>

namespace slope {

namespace {

constexpr int64_t tile_rows = 96;  // a multiple of both units' row groups

struct Sizes {
  int64_t m, n, k;
};

// The part that is packed at once: all rows of A, some panels of B.
struct Packed {
  const Bf16Product& own;
  Sizes size;
  Block block;
  uint16_t *rows, *panels;

  Packed(const Bf16Product& product, Sizes sizes)
      : own(product), size(sizes),
        block((own.rows_size(size.m, size.k) + own.panels_size(size.n, size.k)) *
              static_cast<int64_t>(sizeof(uint16_t))),
        panels(static_cast<uint16_t*>(block.data)) {
    rows = panels + own.panels_size(size.n, size.k);
  }
  void pack_rows(int64_t begin, int64_t end, const Operand<float>& a) const {
    own.pack_rows(end - begin, size.k, a.at(begin, 0).ref(), rows + begin * own.row_stride(size.k));
  }
  void pack_panels(int64_t begin, int64_t end, const Operand<float>& b) const {
    own.pack_panels(begin, end, size.n, size.k, b.ref(), panels);
  }
  // From row i and column j, both multiples of the padding.
  void multiply(int64_t i, int64_t height, int64_t j, int64_t width, const Bf16Place& to) const {
    own.multiply(
        height, width, size.k, rows + i * own.row_stride(size.k), panels + j * own.padded(size.k),
        {to.alpha, to.beta, to.bias ? to.bias + j : nullptr, to.c + i * to.ldc + j, to.ldc});
  }
};

// Calls f(p, j, sizes, place) for each block of B, which starts at row p and column j, with all
// rows of A. The blocks of a column come in the order of k.
template <class F>
void for_each_block(Sizes size, int64_t most_columns, const Bf16Place& to, const F& f) {
  for (int64_t p = 0; p < size.k; p += bf16_depth)
    for (int64_t j = 0; j < size.n; j += most_columns)
      f(p, j, Sizes{size.m, std::min(most_columns, size.n - j), std::min(bf16_depth, size.k - p)},
        Bf16Place{to.alpha, p == 0 ? to.beta : 1, p == 0 && to.bias ? to.bias + j : nullptr,
                  to.c + j, to.ldc});
}

// A rounded copy of X as f32: the operand of an ordinary f32 product.
struct Rounded {
  Block block;
  Operand<float> operand;

  Rounded(const Operand<float>& x, int64_t rows, int64_t cols)
      : block(rows * cols * static_cast<int64_t>(sizeof(float))) {
    if (x.transpose) std::swap(rows, cols);
    auto* to = static_cast<float*>(block.data);
    parallel_for(rows, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(cols, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i)
                     for (int64_t j = 0; j < cols; ++j)
                       to[i * cols + j] = round_to_bf16(x.data[i * x.ld + j]);
                 });
    operand = {to, std::max<int64_t>(cols, 1), x.transpose};
  }
};

// Packs rows and panels in one loop over the pieces of both.
void pack_in_parallel(const Packed& packed, const Operand<float>& a, const Operand<float>& b) {
  constexpr int64_t worthwhile = 1 << 17;  // elements
  const int64_t k = packed.size.k, m = packed.size.m,
                panels = ceil_div(packed.size.n, Bf16Product::panel);
  const int64_t rows_each = ceil_div(std::max<int64_t>(1, worthwhile / k), tile_rows) * tile_rows,
                panels_each = std::max<int64_t>(1, worthwhile / (k * Bf16Product::panel)),
                of_rows = ceil_div(m, rows_each);
  parallel_for(of_rows + ceil_div(panels, panels_each), 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      if (const int64_t i = piece * rows_each, j = (piece - of_rows) * panels_each; j < 0)
        packed.pack_rows(i, std::min(m, i + rows_each), a);
      else
        packed.pack_panels(j, std::min(panels, j + panels_each), b);
  });
}

// Tiles of C: tile_rows high, and as wide as C if there are enough of them.
void multiply_in_parallel(const Packed& packed, const Bf16Place& to) {
  constexpr int64_t enough = 16, least_columns = 2 * Bf16Product::panel;
  const int64_t m = packed.size.m, n = packed.size.n, rows = ceil_div(m, tile_rows),
                wide = std::max(least_columns,
                                ceil_div(ceil_div(n, ceil_div(enough, rows)), Bf16Product::panel) *
                                    Bf16Product::panel),
                columns = ceil_div(n, wide);
  parallel_for(rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t / columns * tile_rows, j = t % columns * wide;
      packed.multiply(i, std::min(tile_rows, m - i), j, std::min(wide, n - j), to);
    }
  });
}

}  // namespace

const Bf16Product* bf16_product() {
#if defined(SLOPE_X86_VARIANTS)
  static const Bf16Product product = bf16_unit() == Bf16Unit::amx      ? amx_bf16_product()
                                     : bf16_unit() == Bf16Unit::avx512 ? avx512_bf16_product()
                                                                       : Bf16Product{};
  if (product.multiply) return &product;
#endif
  return nullptr;
}

void bf16_multiply(int64_t m, int64_t n, int64_t k, float alpha, Operand<float> a, Operand<float> b,
                   float beta, const float* bias, float* c, int64_t ldc) {
  const Bf16Product* own = bf16_product();
  if (!own || k == 0) {
    const Rounded left(a, m, k), right(b, k, n);
    return multiply_tile(m, n, k, alpha, left.operand, right.operand, beta, bias, c, ldc);
  }
  constexpr int64_t most_columns = 1024;  // 4 MB of panels at most
  for_each_block({m, n, k}, most_columns, {alpha, beta, bias, c, ldc},
                 [&](int64_t p, int64_t j, Sizes size, const Bf16Place& to) {
                   const Packed packed(*own, size);
                   packed.pack_rows(0, m, a.at(0, p));
                   packed.pack_panels(0, ceil_div(size.n, Bf16Product::panel), b.at(p, j));
                   packed.multiply(0, m, 0, size.n, to);
                 });
}

void bf16_gemm(int64_t m, int64_t n, int64_t k, float alpha, Operand<float> a, Operand<float> b,
               float beta, const float* bias, float* c, int64_t ldc) {
  const Bf16Product* own = bf16_product();
  if (!own || k == 0) {
    const Rounded left(a, m, k), right(b, k, n);
    const Autocast exact(f32);
    return gemm<float>(a.transpose, b.transpose, m, n, k, alpha, left.operand.data, left.operand.ld,
                       right.operand.data, right.operand.ld, beta, c, ldc, {.bias = bias});
  }
  constexpr double little = 1 << 21;  // multiply-adds; fewer are not worth waking a thread
  if (volume(m, n, k) <= little) return bf16_multiply(m, n, k, alpha, a, b, beta, bias, c, ldc);
  constexpr int64_t most = 1 << 22;  // elements of B that are packed at once
  const int64_t most_columns = most / std::min(bf16_depth, k);
  for_each_block({m, n, k}, most_columns, {alpha, beta, bias, c, ldc},
                 [&](int64_t p, int64_t j, Sizes size, const Bf16Place& to) {
                   const Packed packed(*own, size);
                   pack_in_parallel(packed, a.at(0, p), b.at(p, j));
                   multiply_in_parallel(packed, to);
                 });
}

}  // namespace slope
