// Product of matrices rounded to bf16 (to nearest, ties to even), summed in f32: C = alpha A B +
// beta C + bias. Operands are packed as the CPU's unit reads them, two consecutive terms of the sum
// side by side; bf16 numbers are given as their bits. An operand in memory is f32, or bf16 already.
//   rows     A (m, k): row after row, `row_stride(k)` elements apart
//   panels   B (k, n): 32 columns at a time, element (p, j) at
//            (j / 32 * padded(k) + p / 2 * 2) * 32 + j % 32 * 2 + p % 2
// Padding adds 0. The order of an element's sum over k does not depend on the element's position,
// so the bits do not depend on how C is cut.
#pragma once

#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/product/product.h>

namespace slope {

// Where sums go: C = alpha sum + beta C + bias. C is not read if beta is 0; bias is null or (n).
struct Bf16Place {
  float alpha, beta;
  const float* bias;
  float* c;
  int64_t ldc;
};

// How an operand with elements T in memory is packed.
template <class T>
struct Bf16Packing {
  // Rows `stride` elements apart. A part of k, at a multiple of depth_unit, may be packed alone.
  void (*rows)(int64_t m, int64_t k, const StridedMatrix<const T>& a, uint16_t* rows,
               int64_t stride);
  // Panels `stride` elements apart; here too a part of k may be packed alone.
  void (*panels)(int64_t n, int64_t k, const StridedMatrix<const T>& b, uint16_t* panels,
                 int64_t stride);
};

struct Bf16Product {
  static constexpr int64_t panel = 32;
  // a cache line between rows, because otherwise all of them could start at the same offset in a
  // page
  static constexpr int64_t row_gap = 32;
  int64_t row_unit, depth_unit;  // rows and k of packed operands are padded to multiples of these

  constexpr int64_t padded_rows(int64_t m) const {
    return (m + row_unit - 1) / row_unit * row_unit;
  }
  constexpr int64_t padded(int64_t k) const {
    return (k + depth_unit - 1) / depth_unit * depth_unit;
  }
  constexpr int64_t row_stride(int64_t k) const { return padded(k) + row_gap; }
  constexpr int64_t panel_stride(int64_t k) const { return panel * padded(k); }
  constexpr int64_t rows_size(int64_t m, int64_t k) const { return padded_rows(m) * row_stride(k); }
  constexpr int64_t panels_size(int64_t n, int64_t k) const {
    return (n + panel - 1) / panel * panel_stride(k);
  }

  Bf16Packing<float> pack;
  Bf16Packing<uint16_t> pack_bf16;
  const Bf16Packing<float>& packing(const float*) const { return pack; }
  const Bf16Packing<uint16_t>& packing(const uint16_t*) const { return pack_bf16; }
  void (*multiply)(int64_t m, int64_t n, int64_t k, const uint16_t* rows, const uint16_t* panels,
                   const Bf16Place& to);
};

// The kernels of each unit; use only those that the CPU has (core/product/bf16_unit.h).
Bf16Product avx512_bf16_product();
Bf16Product amx_bf16_product();
AttentionKernels<float> avx512_bf16_attention();
AttentionKernels<float> amx_bf16_attention();

}  // namespace slope
