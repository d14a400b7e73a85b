// One tile of a product, on one thread, and the choice between slope's kernels and BLAS. Private to
// core/product/gemm.cpp, which cuts products into tiles.
#pragma once

#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/product.h>
#include <slope/core/memory/memory.h>

namespace slope {

template <class T>
struct Operand {  // op(X): X as stored at `data`, or its transpose
  const T* data;
  int64_t ld;
  bool transpose;

  Operand at(int64_t row, int64_t col) const {
    return {data + (transpose ? col * ld + row : row * ld + col), ld, transpose};
  }
  StridedMatrix<const T> ref() const { return {data, transpose ? 1 : ld, transpose ? ld : 1}; }
};

inline double volume(int64_t m, int64_t n, int64_t k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// Reading B dominates below this many rows of A.
inline constexpr int64_t few_rows = 16;

struct Block {  // scratch memory from the allocator
  explicit Block(int64_t bytes)
      : bytes(static_cast<size_t>(bytes)), data(memory::allocate(this->bytes)) {}
  ~Block() { memory::deallocate(data, bytes); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  size_t bytes;
  void* data;
};

// Whether BLAS multiplies, where neither dot products nor a matrix-vector product are used. On a
// CPU with vector FMA instructions, slope's kernels take over from few_rows on: they are as fast or
// faster (docs/performance.md), and add the bias with the sums. Otherwise BLAS multiplies all but
// small products.
bool is_for_blas(int64_t m, int64_t n, int64_t k);

// Whether the kernels that pack more are faster on this CPU: with AVX2, and on Intel's AVX-512
// processors, not on AMD's (docs/performance.md).
inline bool choose_packing() {
  return cpu_isa() == Isa::v3 || (cpu_isa() == Isa::v4 && cpu_is_intel());
}
inline bool packs_more() { return made_once<choose_packing>(); }
template <class T>
const Product<T>& own_product() {
  return packs_more() ? kernels<PackingProduct<T>>() : kernels<Product<T>>();
}

// C (m, n; leading dimension ldc) = alpha op(A) op(B) + beta C + bias (null: none). C is not read
// if beta is 0. m and n are a tile's; k may be any size.
template <class T>
void multiply_tile(int64_t m, int64_t n, int64_t k, T alpha, Operand<T> a, Operand<T> b, T beta,
                   const T* bias, T* c, int64_t ldc);

}  // namespace slope
