// Matrix products: C = alpha op(A) op(B) + beta C, row-major, the same bits for any number of
// threads.
//
// C is cut into tiles by a rule that looks at the operands and the CPU, never at the number of
// threads; one thread multiplies a tile, with slope's kernels or BLAS (gemm_tile.h). If C is small
// and k long, k is cut too, and the partial sums are added in order. The epilogue adds a bias to
// the sums. Under Autocast(bf16) products of floats round their operands (autocast.h).
#pragma once

#include <slope/core/tensor/dims.h>

namespace slope {

constexpr int64_t ceil_div(int64_t n, int64_t size) { return (n + size - 1) / size; }

template <class T>
struct Epilogue {
  const T* bias = nullptr;  // (n): added to each row of C
};

// op(X) is X or, if its flag is set, X's transpose. op(A) is (m, k), op(B) (k, n), C (m, n). lda,
// ldb, ldc: leading dimensions, the elements between rows in memory. C is not read if beta is 0; if
// k is 0, C = beta C. ShapeError if a leading dimension is smaller than the length of a row, or
// does not fit into BLAS's 32 bits.
template <class T>
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, T alpha, const T* a,
          int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc,
          const Epilogue<T>& epilogue = {});

// True if gemm with beta = 1 gives the same bits as computing the product and then adding it to C.
// Otherwise a sum may start from the value in C.
template <class T>
bool adds_finished_sums(int64_t m, int64_t n, int64_t k);

// The matrices of a batch: matrix (i, j, …) begins at data + i strides[0] + j strides[1] + …
template <class T>
struct MatrixBatch {
  T* data;
  int64_t ld;
  bool transpose = false;
  Dims strides;
};

template <class T>
void gemm_batched(const Dims& batch, int64_t m, int64_t n, int64_t k, T alpha,
                  const MatrixBatch<const T>& a, const MatrixBatch<const T>& b, T beta,
                  const MatrixBatch<T>& c);

}  // namespace slope
