// Products C = A B of matrices that fit in the cache: attention's, one head at a time. Each element
// of C adds A(i, 0) B(0, j), A(i, 1) B(1, j), … in this order, in chains of at most attention_piece
// terms that are then summed in order: however C is cut into blocks, the bits are the same. Each
// link is a fused multiply-add where the instruction set has it.
#pragma once

#include <slope/core/kernels/attention/attention.h>
#include <slope/core/kernels/product/product_panel.h>

namespace slope {
namespace {

// n columns, rounded up to whole panels
template <class T>
constexpr int64_t whole_panels(int64_t n) {
  return round_up(n, panel_width<T>);
}

template <class T>
StridedMatrix<const T> transposed(const StridedMatrix<const T>& x) {
  return {x.data, x.col, x.row};
}

// B (k, n) as panels: element (p, j) is out[(j / W * k + p) * W + j % W], W = panel_width<T>. `out`
// has room for k rows of whole_panels(n) elements. Row p of the last panel is written, with zeros
// at the end, only as far as the vector that holds column n - 1; no product reads further.
template <class T>
void pack(int64_t k, int64_t n, const StridedMatrix<const T>& b, T* out) {
  for (int64_t j = 0; j < n; j += panel_width<T>) {
    const int64_t columns = std::min<int64_t>(panel_width<T>, n - j);
    pack_panel(k, columns, from(b, 0, j), out + j * k, whole_vectors<T>(columns));
  }
}

template <class T>
void product_of_piece(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                      const T* b, int64_t k_of_b, T* c, int64_t ldc, bool add) {
  const int64_t blocks = (m + register_rows - 1) / register_rows;
  for (int64_t j = 0; j < n; j += panel_width<T>) {
    const int64_t columns = std::min<int64_t>(panel_width<T>, n - j);
    for (int64_t block = 0, i = 0; block < blocks; ++block) {
      // 22 rows are 6 + 6 + 5 + 5: short blocks are slow
      const int64_t height = (m - i + blocks - block - 1) / (blocks - block);
      some_rows_by_narrow_panel<T>(
          height, k, from(a, i, 0), b + j * k_of_b,
          {alpha, add ? T(1) : T(0), nullptr, c + i * ldc + j, ldc, columns});
      i += height;
    }
  }
}

// C (m, n) = alpha A (m, k) B (k, n), + C if `add`. B is in panels of k_of_b rows, of which only
// the first k are read.
template <class T>
void product(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a, const T* b,
             int64_t k_of_b, T* c, int64_t ldc, bool add = false) {
  for (int64_t p = 0; p == 0 || p < k; p += attention_piece)
    product_of_piece(m, n, std::min(attention_piece, k - p), alpha, from(a, 0, p),
                     b + p * panel_width<T>, k_of_b, c, ldc, add || p > 0);
}

// The same, but a factor 0 in A takes nothing from B, not even nan or inf. If B is finite both give
// the same bits.
template <class T>
void product_of_nonzeros(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                         const T* b, int64_t k_of_b, T* c, int64_t ldc, bool add) {
  if (k > attention_piece) {
    for (int64_t p = 0; p < k; p += attention_piece)
      product_of_nonzeros(m, n, std::min(attention_piece, k - p), alpha, from(a, 0, p),
                          b + p * panel_width<T>, k_of_b, c, ldc, add || p > 0);
    return;
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const T* column = b + j / panel_width<T> * panel_width<T> * k_of_b + j % panel_width<T>;
      T sum = 0;
      for (int64_t p = 0; p < k; ++p)
        if (const T factor = a.data[i * a.row + p * a.col]; factor != 0)
          sum = fma_(factor, column[p * panel_width<T>], sum);
      c[i * ldc + j] = alpha * sum + (add ? c[i * ldc + j] : T(0));
    }
}

// Whether a packed B (k, n) is finite: x - x is 0 for all x but nan and inf.
template <class T>
bool is_finite(int64_t k, int64_t n, const T* b) {
  Vector<T> sum = {};
  for (int64_t j = 0; j < n; j += panel_width<T>) {
    const int64_t written = whole_vectors<T>(std::min<int64_t>(panel_width<T>, n - j));
    for (int64_t p = 0; p < k; ++p)
      for (int64_t v = 0; v < written; v += vector_size<T>) {
        const Vector<T> x = load(b + j * k + p * panel_width<T> + v);
        sum += x - x;
      }
  }
  return sum_of_elements<T>(sum) == 0;
}

}  // namespace
}  // namespace slope
