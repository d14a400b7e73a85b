// The two ways to multiply: a panel of B at a time on the stack, with A read in place; or blocks of
// B, and of A where that pays, packed into scratch memory, as in Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", 2008.
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/product_panel.h>

#include <algorithm>
#include <type_traits>

namespace slope {
namespace {

template <class T>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
              const StridedMatrix<const T>& b, T beta, const T* bias, T* c, int64_t ldc) {
  constexpr int W = panel_width<T>;
  alignas(64) T panel[pack_depth * W];
  const int64_t block =
      std::max(register_rows, product_block_bytes / static_cast<int64_t>(sizeof(T)) /
                                  std::max<int64_t>(k, 1) / register_rows * register_rows);
  for (int64_t top = 0; top < m; top += block) {
    const int64_t height = std::min(block, m - top);
    for (int64_t j = 0; j < n; j += W) {
      const int64_t columns = std::min<int64_t>(W, n - j);
      for (int64_t p = 0; p == 0 || p < k; p += pack_depth) {
        const int64_t deep = std::min(pack_depth, k - p);
        pack_panel(deep, columns, from(b, p, j), panel, whole_vectors<T>(columns));
        Place<T> to{alpha,
                    p == 0 ? beta : T(1),
                    p == 0 && bias ? bias + j : nullptr,
                    c + top * ldc + j,
                    ldc,
                    columns};
        for (int64_t i = 0; i < height; i += register_rows, to.c += register_rows * ldc)
          some_rows_by_narrow_panel<T>(std::min(register_rows, height - i), deep,
                                       from(a, top + i, p), panel, to);
      }
    }
  }
}

// ---- packed: block_rows by pack_depth of A at a time, which stay in L2; pack_depth by
// block_columns of B, which stay in L3, or all of B

constexpr int64_t block_rows = 192 / register_rows * register_rows, block_columns = 1024;

int64_t packed_a_size(int64_t m, int64_t k) {
  const int64_t rows = std::min(block_rows, round_up(m, register_rows));
  return round_up(rows * std::min(pack_depth, k) + overrun, 16);  // keeps what follows aligned
}
template <class T>
int64_t packed_size(int64_t m, int64_t n, int64_t k) {
  return packed_a_size(m, k) +
         std::min(block_columns, round_up(n, panel_width<T>)) * std::min(pack_depth, k);
}

template <class T, Loop loop, class A>
[[gnu::noinline]] void full_rows_by_panel(int64_t k, const T* a, A strides, const T* panel,
                                          const Place<T>& to) {
  rows_by_panel<T, static_cast<int>(register_rows), 2, loop>(k, a, strides, panel, to);
}

// Multiplies a group of at most register_rows rows of A by a panel. `next_too`: whether to prefetch
// the rows after them, which nothing has read yet.
template <class T, class A>
void group_by_panel(int64_t rows, int64_t deep, const T* a, A strides, const T* panel,
                    const Place<T>& to, bool next_too) {
  if (rows < register_rows)
    return some_rows_by_panel<T>(rows, deep, StridedMatrix<const T>{a, strides.row, strides.col},
                                 panel, to);
  if constexpr (std::is_same_v<A, Rows>)
    if (next_too) return full_rows_by_panel<T, Loop::fetching>(deep, a, strides, panel, to);
  full_rows_by_panel<T, Loop::unrolled>(deep, a, strides, panel, to);
}

// Computes C (height, wide) from A (height, deep), at most block_rows rows, and panels of B (deep,
// wide). `down` is A's row stride, for packed rows their depth.
template <class T, class A>
void rows_by_panels(int64_t height, int64_t wide, int64_t deep, const T* a, int64_t down, A strides,
                    const T* panels, Place<T> corner) {
  constexpr int W = panel_width<T>;
  for (int64_t j = 0; j < wide; j += W) {
    Place<T> to = corner;
    to.c += j;
    to.columns = std::min<int64_t>(W, wide - j);
    if (to.bias) to.bias += j;
    for (int64_t i = 0; i < height; i += register_rows, to.c += register_rows * to.ldc)
      group_by_panel(std::min(register_rows, height - i), deep, a + i * down, strides,
                     panels + j * deep, to, j == 0);
  }
}

// Whether rows with this stride start at the same offset in a page, so that many at once evict one
// another from the first-level cache.
template <class T>
bool crowd(int64_t stride) {
  return stride * static_cast<int64_t>(sizeof(T)) % 4096 == 0;
}

// Decides how A is read. `more` is set in PackingProduct; `all` needs AVX-512 too and always packs.
//   by columns (a.row = 1)   in place, because they lie in memory as they would in a copy; with
//                            `more` only for one panel, because each step reads another line
//   by rows (a.col = 1)      in place up to `narrow` columns of C, too few to repay packing
//   otherwise                packed: no stride is 1, A or C crowds the cache, or `all`
template <class T, bool more>
void block_by_panels(int64_t height, int64_t wide, int64_t deep, const StridedMatrix<const T>& a,
                     const T* panels, const Place<T>& corner, T* packed_a) {
  constexpr int64_t narrow = 512;
  constexpr bool all = more && vector_bytes == 64;
  if (!all && !crowd<T>(a.row == 1 ? a.col : a.row) && !crowd<T>(corner.ldc)) {
    if (a.row == 1 && (!more || wide <= panel_width<T>))
      return rows_by_panels(height, wide, deep, a.data, 1, Columns{a.col}, panels, corner);
    if (a.col == 1 && wide <= narrow)
      return rows_by_panels(height, wide, deep, a.data, a.row, Rows{a.row}, panels, corner);
  }
  using Packed = std::conditional_t<all, PackedRowsInMemory, PackedRows>;
  pack_rows(height, deep, a, packed_a);
  rows_by_panels(height, wide, deep, static_cast<const T*>(packed_a), deep, Packed{}, panels,
                 corner);
}

template <class T, bool more>
void multiply_packed(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                     const StridedMatrix<const T>& b, T beta, const T* bias, T* c, int64_t ldc,
                     T* scratch) {
  T *const packed_a = scratch, *const packed_b = scratch + packed_a_size(m, k);
  for (int64_t left = 0; left < n; left += block_columns) {
    const int64_t wide = std::min(block_columns, n - left);
    for (int64_t p = 0; p < k; p += pack_depth) {
      const int64_t deep = std::min(pack_depth, k - p);
      pack_panels(deep, wide, from(b, p, left), packed_b);
      for (int64_t top = 0; top < m; top += block_rows)
        block_by_panels<T, more>(
            std::min(block_rows, m - top), wide, deep, from(a, top, p), packed_b,
            {alpha, p == 0 ? beta : T(1), p == 0 && bias ? bias + left : nullptr,
             c + top * ldc + left, ldc, 0},
            packed_a);
    }
  }
}

template <class T>
void pack_some_panels(int64_t first, int64_t last, int64_t n, int64_t k,
                      const StridedMatrix<const T>& b, T* panels) {
  constexpr int W = panel_width<T>;
  const int64_t all = round_up(n, W), left = first * W, right = std::min(n, last * W);
  for (int64_t p = 0; p < k; p += pack_depth, panels += pack_depth * all) {
    const int64_t deep = std::min(pack_depth, k - p);
    pack_panels(deep, right - left, from(b, p, left), panels + left * deep);
  }
}

template <class T, bool more>
void multiply_by_panels(int64_t m, int64_t n, int64_t k, T alpha, const StridedMatrix<const T>& a,
                        const T* panels, T beta, const T* bias, T* c, int64_t ldc, T* scratch) {
  constexpr int W = panel_width<T>;
  const int64_t all = round_up(n, W);
  for (int64_t top = 0; top < m; top += block_rows)
    for (int64_t p = 0; p < k; p += pack_depth)
      block_by_panels<T, more>(
          std::min(block_rows, m - top), n, std::min(pack_depth, k - p), from(a, top, p),
          panels + p * all,
          {alpha, p == 0 ? beta : T(1), p == 0 ? bias : nullptr, c + top * ldc, ldc, 0}, scratch);
}

// C^T = B^T A^T, some of its rows at a time, which are then stored transposed.
template <class T>
void multiply_by_columns(int64_t m, int64_t n, int64_t k, T alpha, const T* panels_of_a,
                         const StridedMatrix<const T>& b, const T* bias, T* c, int64_t ldc) {
  constexpr int64_t W = panel_width<T>, together = 24;  // whole transposes of 8 x 8
  alignas(64) T sums[together * W];                     // of C^T
  for (int64_t j = 0; j < n; j += together) {
    const int64_t here = std::min(together, n - j);
    for (int64_t i = 0; i < m; i += W) {
      for (int64_t p = 0; p < k; p += pack_depth) {
        const int64_t deep = std::min(pack_depth, k - p);
        const T* panel = panels_of_a + p * round_up(m, W) + i * deep;
        Place<T> to{alpha, p == 0 ? T(0) : T(1), nullptr, sums, W, W};
        for (int64_t r = 0; r < here; r += register_rows, to.c += register_rows * W)
          group_by_panel(std::min(register_rows, here - r), deep, b.data + (j + r) * b.col + p,
                         Rows{b.col}, panel, to, i == 0);
        if (p == 0 && bias)
          for (int64_t r = 0; r < here; ++r)
            for (int64_t l = 0; l < W; ++l) sums[r * W + l] += bias[j + r];
      }
      transpose_block(here, std::min(W, m - i), static_cast<const T*>(sums), W, c + i * ldc + j,
                      ldc);
    }
  }
}

template <class T, bool more>
Product<T> product() {
  return {multiply<T>,         packed_size<T>, multiply_packed<T, more>,    panel_width<T>,
          pack_some_panels<T>, packed_a_size,  multiply_by_panels<T, more>, multiply_by_columns<T>};
}

}  // namespace

SLOPE_KERNELS(Product, product<T, false>())
SLOPE_KERNELS(PackingProduct, product<T, true>())

}  // namespace slope
