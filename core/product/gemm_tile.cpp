#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/dots.h>
#include <slope/core/product/blas_buffers.h>
#include <slope/core/product/gemm_tile.h>

#include <algorithm>
#include <limits>

#if defined(SLOPE_BLAS)
#include <cblas.h>
#endif

namespace slope {

namespace {

// B is packed one panel at a time below this many rows of A: a panel stays in the first-level cache
// and needs no scratch memory (docs/performance.md). This is done only if A is a single block,
// because B would be packed anew for each further block. The bits are the same.
constexpr int64_t worthwhile_packing = 49;
template <class T>
bool is_few_rows_of_one_block(int64_t m, int64_t k) {
  constexpr int64_t most_register_rows = 12;
  return m < worthwhile_packing &&
         volume(m + most_register_rows, k, sizeof(T)) <= static_cast<double>(product_block_bytes);
}

// The longest sum that a dot product, a matrix-vector product or BLAS makes at once: a longer one
// of equal terms would drift.
constexpr int64_t longest_sum = 1 << 12;

#if defined(SLOPE_BLAS)
bool is_for_dots(int64_t m, bool rows_by_rows) {
  return rows_by_rows && m < few_rows && cpu_isa() != Isa::portable;
}
bool is_worth_gemv(int64_t n, int64_t k) { return n < 1 << 30 && k < 1 << 30 && n * k > 512; }

// Only the `ld` of a single row, which is not used, can be larger than an int.
int leading(int64_t ld) {
  return static_cast<int>(std::min<int64_t>(ld, std::numeric_limits<int>::max()));
}

CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

void blas_gemm(int m, int n, int k, float alpha, Operand<float> a, Operand<float> b, float beta,
               float* c, int ldc) {
  ensure_blas_buffer();
  cblas_sgemm(CblasRowMajor, flag(a.transpose), flag(b.transpose), m, n, k, alpha, a.data,
              leading(a.ld), b.data, leading(b.ld), beta, c, ldc);
}
void blas_gemm(int m, int n, int k, double alpha, Operand<double> a, Operand<double> b, double beta,
               double* c, int ldc) {
  ensure_blas_buffer();
  cblas_dgemm(CblasRowMajor, flag(a.transpose), flag(b.transpose), m, n, k, alpha, a.data,
              leading(a.ld), b.data, leading(b.ld), beta, c, ldc);
}

void blas_gemv(bool transpose, int rows, int cols, float alpha, const float* a, int lda,
               const float* x, int incx, float* y, int incy) {
  ensure_blas_buffer();
  cblas_sgemv(CblasRowMajor, flag(transpose), rows, cols, alpha, a, lda, x, incx, 1, y, incy);
}
void blas_gemv(bool transpose, int rows, int cols, double alpha, const double* a, int lda,
               const double* x, int incx, double* y, int incy) {
  ensure_blas_buffer();
  cblas_dgemv(CblasRowMajor, flag(transpose), rows, cols, alpha, a, lda, x, incx, 1, y, incy);
}

// y (n; stride `step`) = alpha op(M) x + beta y, with op(M) (n, k).
template <class T>
void multiply_vector(int64_t n, int64_t k, T alpha, Operand<T> matrix, const T* x, int64_t x_step,
                     T beta, T* y, int64_t step) {
  // beta is not left to BLAS, because its 0 * nan differs by version.
  for (int64_t i = 0; i < n; ++i) y[i * step] = beta == T(0) ? T(0) : beta * y[i * step];
  blas_gemv(matrix.transpose, static_cast<int>(matrix.transpose ? k : n),
            static_cast<int>(matrix.transpose ? n : k), alpha, matrix.data, leading(matrix.ld), x,
            leading(x_step), y, leading(step));
}
#else
bool is_for_dots(int64_t m, bool rows_by_rows) { return rows_by_rows && m < few_rows; }
#endif

// C = bias + beta C
template <class T>
void scale(int64_t m, int64_t n, T beta, const T* bias, T* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      c[i * ldc + j] = (bias ? bias[j] : T(0)) + (beta == T(0) ? T(0) : beta * c[i * ldc + j]);
}

}  // namespace

#if defined(SLOPE_BLAS)
bool is_for_blas(int64_t m, int64_t n, int64_t k) {
  return (cpu_isa() == Isa::portable || m < few_rows) && volume(m, n, k) > 1 << 15;
}
#else
bool is_for_blas(int64_t, int64_t, int64_t) { return false; }
#endif

template <class T>
void multiply_tile(int64_t m, int64_t n, int64_t k, T alpha, Operand<T> a, Operand<T> b, T beta,
                   const T* bias, T* c, int64_t ldc) {
  if (k == 0) return scale(m, n, beta, bias, c, ldc);
  if (is_for_dots(m, !a.transpose && b.transpose)) {
    for (int64_t p = 0; p < k; p += longest_sum)
      kernels<Dots<T>>().multiply(m, n, std::min(longest_sum, k - p), alpha, a.at(0, p).data, a.ld,
                                  b.at(p, 0).data, b.ld, p == 0 ? beta : T(1),
                                  p == 0 ? bias : nullptr, c, ldc);
    return;
  }
#if defined(SLOPE_BLAS)
  const bool row_by_matrix = m == 1 && is_worth_gemv(n, k),
             matrix_by_column = n == 1 && is_worth_gemv(m, k);
  if (row_by_matrix || matrix_by_column || is_for_blas(m, n, k)) {
    if (bias) {
      scale(m, n, beta, bias, c, ldc);
      beta = T(1);
    }
    if (row_by_matrix || matrix_by_column) {
      const int64_t size = row_by_matrix ? n : m;
      const auto multiply = [&](int64_t p, T keep, T* to, int64_t step) {
        const int64_t deep = std::min(longest_sum, k - p);
        const Operand<T> x = a.at(0, p), y = b.at(p, 0);
        if (row_by_matrix)
          multiply_vector(n, deep, alpha, Operand<T>{y.data, y.ld, !y.transpose}, x.data,
                          a.transpose ? a.ld : 1, keep, to, step);
        else
          multiply_vector(m, deep, alpha, x, y.data, b.transpose ? 1 : b.ld, keep, to, step);
      };
      const int64_t step = row_by_matrix ? 1 : ldc;
      multiply(0, beta, c, step);
      if (k <= longest_sum) return;
      const Block scratch(size * static_cast<int64_t>(sizeof(T)));  // BLAS would go on from c
      T* const sum = static_cast<T*>(scratch.data);
      for (int64_t p = longest_sum; p < k; p += longest_sum) {
        multiply(p, T(0), sum, 1);
        for (int64_t l = 0; l < size; ++l) c[l * step] += sum[l];
      }
      return;
    }
    constexpr int64_t longest = int64_t{1} << 30;
    const auto part = [&](int64_t size, int64_t from) {
      return static_cast<int>(std::min(longest, size - from));
    };
    for (int64_t i = 0; i < m; i += longest)
      for (int64_t j = 0; j < n; j += longest)
        for (int64_t p = 0; p < k; p += longest_sum)
          blas_gemm(part(m, i), part(n, j), static_cast<int>(std::min(longest_sum, k - p)), alpha,
                    a.at(i, p), b.at(p, j), p == 0 ? beta : T(1), c + i * ldc + j, leading(ldc));
    return;
  }
#endif
  const Product<T>& own = own_product<T>();
  if (is_few_rows_of_one_block<T>(m, k) || volume(m, n, k) <= 1 << 15)
    return own.multiply(m, n, k, alpha, a.ref(), b.ref(), beta, bias, c, ldc);
  const Block scratch(own.packed_size(m, n, k) * static_cast<int64_t>(sizeof(T)));
  own.multiply_packed(m, n, k, alpha, a.ref(), b.ref(), beta, bias, c, ldc,
                      static_cast<T*>(scratch.data));
}

template void multiply_tile(int64_t, int64_t, int64_t, float, Operand<float>, Operand<float>, float,
                            const float*, float*, int64_t);
template void multiply_tile(int64_t, int64_t, int64_t, double, Operand<double>, Operand<double>,
                            double, const double*, double*, int64_t);

}  // namespace slope
