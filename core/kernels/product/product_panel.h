// A block of C in registers: some rows of A times a packed panel of B, two vectors wide and at most
// 256 deep. Both ways to multiply (product.cpp) are made of such blocks.
#pragma once

#include <slope/core/kernels/first_elements.h>
#include <slope/core/kernels/product/product_pack.h>

#include <type_traits>

namespace slope {
namespace {

// How A is stored: element (r, p) is a[r * row + p * col]. Strides known at compile time are in the
// type: simple addresses make a fast inner loop.
struct PackedRows {
  static constexpr int64_t row = 1, col = register_rows;
};
struct PackedRowsInMemory : PackedRows {};
struct Columns {
  static constexpr int64_t row = 1;
  int64_t col;
};
struct Rows {
  int64_t row;
  static constexpr int64_t col = 1;
};
struct Strides {
  int64_t row, col;
};
template <class A>  // whether the row stride is known only at run time
constexpr bool has_unknown_row_stride = std::is_same_v<A, Rows> || std::is_same_v<A, Strides>;

// For this many of the rows the multiply-adds read A from memory: an instruction fewer, a load
// more. For the other rows A is loaded into a register first (docs/performance.md).
template <class A>
constexpr int rows_in_memory = std::is_same_v<A, PackedRowsInMemory> ? 8 : 0;

// Where a block of sums is stored: C = alpha sums + bias + keep C.
template <class T>
struct Place {
  T alpha, keep;
  const T* bias;  // of the columns, or null
  T* c;
  int64_t ldc, columns;  // how many of the panel's columns C has
};

// y = alpha sum + bias + keep y
template <class V, class T>
[[gnu::always_inline]] inline V placed(V sum, const Place<T>& to, const T* bias, const T* y) {
  V x = to.alpha * sum;
  if (bias) x += load<T>(bias);
  if (to.keep != T(0)) x += to.keep * load<T>(y);
  return x;
}

constexpr int group_rows = 4;
template <int R>
constexpr int group_count = (R + group_rows - 1) / group_rows;

// sums[r][l] += A(r) b[l]; each of `groups` points to four rows of A, `row` apart.
template <class T, int R, int N, int in_memory>
[[gnu::always_inline]] inline void add_outer_product(const T* const (&groups)[group_count<R>],
                                                     int64_t row, const T* b,
                                                     Vector<T> (&sums)[R][N]) {
  Vector<T> columns[N];
  unrolled<N>([&](auto v)
                  __attribute__((always_inline)) { columns[v] = load<T>(b + v * vector_size<T>); });
  unrolled<R>([&](auto r) __attribute__((always_inline)) {
    const T& a = groups[r / group_rows][r % group_rows * row];
    if constexpr (r < in_memory) {
      unrolled<N>([&](auto v) __attribute__((always_inline)) {
        sums[r][v] = fused_in_memory(a, columns[v], sums[r][v]);
      });
    } else {
      const Vector<T> f = a - Vector<T>{};
      unrolled<N>([&](auto v) __attribute__((always_inline)) {
        sums[r][v] = fused(f, columns[v], sums[r][v]);
      });
    }
  });
}

enum class Loop {
  rolled,
  unrolled,  // four steps at a time
  // the same; before a cache line of each current row of A is used, that of each of the next R rows
  // is prefetched
  fetching,
};

// R rows of sums[r][l] = sum_p A(r, p) panel[p][l], over N of the panel's two vectors.
template <class T, int R, int N, Loop loop, class A>
[[gnu::always_inline]] inline void rows_by_panel(int64_t k, const T* a, A strides, const T* panel,
                                                 const Place<T>& to) {
  using V = Vector<T>;
  constexpr int64_t L = vector_size<T>;
  for (int r = 0; r < R; ++r) {
    __builtin_prefetch(to.c + r * to.ldc, 1);
    __builtin_prefetch(to.c + r * to.ldc + to.columns - 1, 1);
  }
  V sums[R][N] = {};
  const T* groups[group_count<R>];
  for (int g = 0; g < group_count<R>; ++g) {
    groups[g] = a + group_rows * g * strides.row;
    // Hides from the compiler that all groups start from a: with twelve rows addressed from one
    // pointer it runs out of registers.
    if constexpr (has_unknown_row_stride<A>) asm("" : "+r"(groups[g]));
  }
  const auto step = [&]() __attribute__((always_inline)) {
    add_outer_product<T, R, N, rows_in_memory<A>>(groups, strides.row, panel, sums);
    unrolled<group_count<R>>([&](auto g)
                                 __attribute__((always_inline)) { groups[g] += strides.col; });
    panel += 2 * L;
  };
  if constexpr (loop == Loop::rolled) {
    for (int64_t p = 0; p < k; ++p) step();
  } else {
    int64_t p = 0;
    if constexpr (loop == Loop::fetching)
      for (constexpr int64_t line = 64 / sizeof(T); p + line <= k; p += line) {
        for (int r = 0; r < R; ++r) __builtin_prefetch(a + (R + r) * strides.row + p);
#pragma GCC unroll 4
        for (int64_t q = 0; q < line; ++q) step();
      }
#pragma GCC unroll 4
    for (; p < k; ++p) step();
  }
  if (to.columns == N * L) {
    unrolled<N * R>([&](auto i) __attribute__((always_inline)) {
      constexpr int r = i / N, v = i % N;
      T* y = to.c + r * to.ldc + v * L;
      const V x = placed(sums[r][v], to, to.bias ? to.bias + v * L : nullptr, y);
      __builtin_memcpy(y, &x, sizeof(V));
    });
  } else {
    unrolled<N * R>([&](auto i) __attribute__((always_inline)) {
      constexpr int r = i / N, v = i % N;
      const First<T> some{to.columns - v * L};
      T* y = to.c + r * to.ldc + v * L;
      V x = to.alpha * sums[r][v];
      if (to.bias) x += some.load(to.bias + v * L);
      if (to.keep != T(0)) x += to.keep * some.load(y);
      some.store(x, y);
    });
  }
}

// The same for 1 … R rows.
template <class T, int N = 2, int R = static_cast<int>(register_rows), class A>
[[gnu::noinline]] void some_rows_by_panel(int64_t height, int64_t k, const T* a, A strides,
                                          const T* panel, const Place<T>& to) {
  if constexpr (R > 1)
    if (height < R) return some_rows_by_panel<T, N, R - 1>(height, k, a, strides, panel, to);
  rows_by_panel<T, R, N, Loop::rolled>(k, a, strides, panel, to);
}
template <class T, int N = 2>
void some_rows_by_panel(int64_t height, int64_t k, const StridedMatrix<const T>& a, const T* panel,
                        const Place<T>& to) {
  if (a.row == 1)
    some_rows_by_panel<T, N>(height, k, a.data, Columns{a.col}, panel, to);
  else
    some_rows_by_panel<T, N>(height, k, a.data, Strides{a.row, a.col}, panel, to);
}
// The same, over the first vector alone if it spans C's columns.
template <class T>
void some_rows_by_narrow_panel(int64_t height, int64_t k, const StridedMatrix<const T>& a,
                               const T* panel, const Place<T>& to) {
  if (to.columns <= vector_size<T>)
    some_rows_by_panel<T, 1>(height, k, a, panel, to);
  else
    some_rows_by_panel<T, 2>(height, k, a, panel, to);
}

}  // namespace
}  // namespace slope
