#include <slope/core/kernels/bf16/bf16_product.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/memory/first_use.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_gemm.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/gemm.h>
#include <slope/core/tensor/bfloat16.h>

#include <algorithm>

namespace slope {

namespace {

struct Sizes {
  int64_t m, n, k;
};

Block packed_block(int64_t elements) {
  return Block(elements * static_cast<int64_t>(sizeof(uint16_t)));
}

// Rows of A, packed.
struct PackedRows {
  const Bf16Product& own;
  int64_t m, k;
  Block block = packed_block(own.rows_size(m, k));

  uint16_t* at(int64_t i, int64_t p = 0) const {  // multiples of row_unit and depth_unit
    return static_cast<uint16_t*>(block.data) + i * own.row_stride(k) + p;
  }
  void pack(int64_t i, int64_t rows, int64_t p, int64_t depth, const Bf16Operand& a) const {
    a.visit([&](const auto& x) {
      own.packing(x.data).rows(rows, depth, x.at(i, p).ref(), at(i, p), own.row_stride(k));
    });
  }
  void pack(const Bf16Operand& a) const { pack(0, m, 0, k, a); }
};

// Panels of B, packed.
struct PackedPanels {
  const Bf16Product& own;
  int64_t n, k;
  Block block = packed_block(own.panels_size(n, k));

  uint16_t* at(int64_t j, int64_t p = 0) const {  // multiples of the panel's width and depth_unit
    return static_cast<uint16_t*>(block.data) + j * own.padded(k) + p * Bf16Product::panel;
  }
  void pack(int64_t j, int64_t columns, int64_t p, int64_t depth, const Bf16Operand& b) const {
    b.visit([&](const auto& x) {
      own.packing(x.data).panels(columns, depth, x.at(p, j).ref(), at(j, p), own.panel_stride(k));
    });
  }
  void pack(const Bf16Operand& b) const { pack(0, n, 0, k, b); }
};

// The place that begins at row i and column j of C.
Bf16Place from(const Bf16Place& to, int64_t i, int64_t j) {
  return {to.alpha, to.beta, to.bias ? to.bias + j : nullptr, to.c + i * to.ldc + j, to.ldc};
}

// Calls f(p, j, sizes, place) for each block of B, which starts at row p and column j and is
// multiplied by all rows of A. Blocks of the same columns come in the order of k.
template <class F>
void for_each_block(Sizes size, int64_t most_columns, const Bf16Place& to, const F& f) {
  for (int64_t p = 0; p < size.k; p += bf16_depth)
    for (int64_t j = 0; j < size.n; j += most_columns)
      f(p, j, Sizes{size.m, std::min(most_columns, size.n - j), std::min(bf16_depth, size.k - p)},
        p == 0 ? from(to, 0, j) : Bf16Place{to.alpha, 1, nullptr, to.c + j, to.ldc});
}

float rounded(float x) { return round_to_bf16(x); }
float rounded(uint16_t bits) { return BFloat16::of_bits(bits); }

// An operand's f32 copy, rounded to bf16, for an ordinary f32 product.
struct Rounded {
  Block block;
  Operand<float> operand;

  Rounded(const Bf16Operand& operand_, int64_t rows, int64_t cols)
      : block(rows * cols * static_cast<int64_t>(sizeof(float))) {
    if (operand_.transpose()) std::swap(rows, cols);
    auto* to = static_cast<float*>(block.data);
    operand_.visit([&](const auto& x) {
      parallel_for(rows, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(cols, 1)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i)
                       for (int64_t j = 0; j < cols; ++j)
                         to[i * cols + j] = rounded(x.data[i * x.ld + j]);
                   });
    });
    operand = {to, std::max<int64_t>(cols, 1), operand_.transpose()};
  }
};

// The length, in whole `unit`s, of the pieces into which `size` is cut: there are enough for many
// threads, and they are neither so small that the other operand is read too often nor so large that
// a packed piece leaves the second-level cache.
int64_t piece(int64_t size, int64_t unit, int64_t least, int64_t most) {
  constexpr int64_t enough = 16;
  return std::clamp(ceil_div(ceil_div(size, enough), unit) * unit, least, most);
}

// Packs all of an operand in parallel. Each part reads whole rows of the operand as they lie in
// memory. If such a row belongs to one index of the sum (`across`), the parts are ranges of k,
// otherwise ranges of the packed rows or panels.
template <class Operands>
void pack_in_parallel(const Operands& packed, int64_t width, int64_t unit, bool across,
                      const Bf16Operand& x) {
  constexpr int64_t worthwhile = 1 << 16;  // elements
  const int64_t k = packed.k;
  const auto grain = [](int64_t other, int64_t whole) {
    return ceil_div(std::max<int64_t>(1, worthwhile / other), whole) * whole;
  };
  if (across)
    parallel_for(k, grain(width, 32),
                 [&](int64_t begin, int64_t end) { packed.pack(0, width, begin, end - begin, x); });
  else
    parallel_for(width, grain(k, unit),
                 [&](int64_t begin, int64_t end) { packed.pack(begin, end - begin, 0, k, x); });
}

// The smaller operand is packed first, as a whole. Each piece of the larger one is packed by the
// thread that multiplies it, so that it is read back from the cache; but if each row of the larger
// one in memory belongs to one index of the sum, it too is packed first.
void multiply_in_parallel(const Bf16Product& own, const Sizes& size, const Bf16Operand& a,
                          const Bf16Operand& b, const Bf16Place& to) {
  constexpr int64_t W = Bf16Product::panel;
  constexpr int64_t together = 96;  // rows; several such blocks fit in the second-level cache
  const auto& [m, n, k] = size;
  const bool by_rows = n <= m, all_rows = !by_rows || a.transpose(),
             all_panels = by_rows || !b.transpose();
  const PackedRows rows{own, all_rows ? m : 0, k};
  const PackedPanels panels{own, all_panels ? n : 0, k};
  if (all_rows) pack_in_parallel(rows, m, 32, a.transpose(), a);
  if (all_panels) pack_in_parallel(panels, n, W, !b.transpose(), b);
  if (by_rows)
    return parallel_for(m, piece(m, 32, 64, together),
                        [&, n = n, k = k](int64_t begin, int64_t end) {
                          const PackedRows some{own, all_rows ? 0 : end - begin, k};
                          if (!all_rows) some.pack(a.at(begin, 0));
                          own.multiply(end - begin, n, k, all_rows ? rows.at(begin) : some.at(0),
                                       panels.at(0), from(to, begin, 0));
                        });
  parallel_for(n, piece(n, W, 2 * W, 8 * W), [&, m = m, k = k](int64_t begin, int64_t end) {
    const PackedPanels some{own, all_panels ? 0 : end - begin, k};
    if (!all_panels) some.pack(b.at(0, begin));
    for (int64_t i = 0; i < m; i += together)
      own.multiply(std::min(together, m - i), end - begin, k, rows.at(i),
                   all_panels ? panels.at(begin) : some.at(0), from(to, i, begin));
  });
}

}  // namespace

const Bf16Product* bf16_product() {
#if defined(SLOPE_X86_VARIANTS)
  if (bf16_unit() == Bf16Unit::amx) return &made_once<amx_bf16_product>();
  if (bf16_unit() == Bf16Unit::avx512) return &made_once<avx512_bf16_product>();
#endif
  return nullptr;
}

const AttentionKernels<float>* bf16_attention() {
#if defined(SLOPE_X86_VARIANTS)
  if (bf16_unit() == Bf16Unit::amx) return &made_once<amx_bf16_attention>();
  if (bf16_unit() == Bf16Unit::avx512) return &made_once<avx512_bf16_attention>();
#endif
  return nullptr;
}

void bf16_multiply(int64_t m, int64_t n, int64_t k, float alpha, const Bf16Operand& a,
                   const Bf16Operand& b, float beta, const float* bias, float* c, int64_t ldc) {
  const Bf16Product* own = bf16_product();
  if (!own || k == 0) {
    const Rounded left(a, m, k), right(b, k, n);
    return multiply_tile(m, n, k, alpha, left.operand, right.operand, beta, bias, c, ldc);
  }
  constexpr int64_t most_columns = 1024;  // 4 MB of panels at most
  for_each_block({m, n, k}, most_columns, {alpha, beta, bias, c, ldc},
                 [&](int64_t p, int64_t j, Sizes size, const Bf16Place& to) {
                   const PackedRows rows{*own, m, size.k};
                   const PackedPanels panels{*own, size.n, size.k};
                   rows.pack(a.at(0, p));
                   panels.pack(b.at(p, j));
                   own->multiply(m, size.n, size.k, rows.at(0), panels.at(0), to);
                 });
}

void bf16_gemm(int64_t m, int64_t n, int64_t k, float alpha, const Bf16Operand& a,
               const Bf16Operand& b, float beta, const float* bias, float* c, int64_t ldc) {
  const Bf16Product* own = bf16_product();
  if (!own || k == 0) {
    const Rounded left(a, m, k), right(b, k, n);
    const Autocast exact(f32);
    return gemm<float>(a.transpose(), b.transpose(), m, n, k, alpha, left.operand.data,
                       left.operand.ld, right.operand.data, right.operand.ld, beta, c, ldc,
                       {.bias = bias});
  }
  constexpr double little = 1 << 21;  // multiply-adds; fewer are not worth waking a thread
  if (volume(m, n, k) <= little) return bf16_multiply(m, n, k, alpha, a, b, beta, bias, c, ldc);
  constexpr int64_t most = 1 << 22;  // elements of B that are packed at once
  const int64_t most_columns = most / std::min(bf16_depth, k);
  for_each_block({m, n, k}, most_columns, {alpha, beta, bias, c, ldc},
                 [&](int64_t p, int64_t j, Sizes size, const Bf16Place& to) {
                   multiply_in_parallel(*own, size, a.at(0, p), b.at(p, j), to);
                 });
}

}  // namespace slope
