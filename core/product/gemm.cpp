#include <slope/core/kernels/elementwise/elementwise.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_gemm.h>
#include <slope/core/product/blas.h>
#include <slope/core/product/gemm.h>
#include <slope/core/product/gemm_tile.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace slope {

namespace {

constexpr int64_t int_limit = INT32_MAX;

// Rows of A in the kernels' inner loop (six with AVX2). PackedOnce and ByColumns cut at multiples
// of this.
constexpr int64_t rows_together = 12;

// How C and k are cut: a function of the sizes, of whether A is transposed and of the instruction
// set alone. A large product gets several pieces, a multiple of four for balance. Among the ways to
// cut, the one that moves the least data is taken: every piece packs its part of A and B, and a cut
// in k writes and reads C once more. A transposed A counts as a quarter where it is read in place,
// and as a whole where AVX2 packs it (docs/performance.md).
struct Grid {
  int64_t tile_m, tile_n, chunk_k;
  int64_t rows = 1, cols = 1, chunks = 1;

  Grid(int64_t m, int64_t n, int64_t k, bool a_transposed, bool may_cut_k)
      : tile_m(m), tile_n(n), chunk_k(k) {
    const int64_t pieces = worthwhile_pieces(m, n, k);
    if (pieces == 1) return;
    const double of_a = a_transposed && cpu_isa() != Isa::v3 ? 0.25 : 1;
    double least = std::numeric_limits<double>::infinity();
    for (int64_t c = 1; c <= (may_cut_k ? std::min(pieces, k / 512) : 1) || c == 1; ++c)
      for (int64_t r = 1; r <= pieces; ++r) {
        const int64_t l = ceil_div(pieces, r * c);
        if (r * l * c % std::min<int64_t>(pieces, 4) != 0 || r * 16 > m + 15 || l * 16 > n + 15)
          continue;
        const double moved =
            volume(k, 1, n * r) + of_a * volume(k, 1, m * l) + (c > 1 ? 4 * volume(m, n, c) : 0);
        if (moved < least) {
          least = moved;
          rows = r;
          cols = l;
          chunks = c;
        }
      }
    tile_m = ceil_div(ceil_div(m, rows), 16) * 16;
    tile_n = ceil_div(ceil_div(n, cols), 16) * 16;
    chunk_k = ceil_div(k, chunks);
    rows = ceil_div(m, tile_m);
    cols = ceil_div(n, tile_n);
    chunks = ceil_div(k, chunk_k);
  }
  static int64_t worthwhile_pieces(int64_t m, int64_t n, int64_t k) {
    const bool few = m < few_rows;
    // With few rows, one piece per 128 KB of B to read (in f32); otherwise pieces grow with the
    // product.
    const double wanted =
        few ? volume(1, n, k) / (1 << 15) : std::sqrt(volume(m, n, k) / (1 << 22)) / 2;
    // Below 64 KB of B, or 2 M multiply-adds, waking a second thread takes longer than it saves.
    const double too_little = few ? 0.5 : 0.35;
    return wanted <= too_little ? 1
           : wanted <= 2        ? 2
                                : ceil_div(static_cast<int64_t>(std::min(wanted, 16.0)), 4) * 4;
  }
};

// Whether products of matrices of T round their operands to bf16 on this thread.
template <class T>
bool rounds() {
  return std::is_same_v<T, float> && autocast_dtype() == bf16;
}

template <class T>
struct Call {
  int64_t m, n, k;
  T alpha;
  Operand<T> a, b;
  T beta;
  T* c;
  int64_t ldc;

  void tile(int64_t i, int64_t rows, int64_t j, int64_t cols, const Epilogue<T>& epilogue) const {
    T* y = c + i * ldc + j;
    multiply_tile(rows, cols, k, alpha, a.at(i, 0), b.at(0, j), beta,
                  epilogue.bias ? epilogue.bias + j : nullptr, y, ldc);
  }
};

// Each chunk of k gives its own sum; the sums are added in order.
template <class T>
void multiply_in_chunks_of_k(const Call<T>& call, const Grid& grid, const Epilogue<T>& epilogue) {
  const int64_t tiles = grid.rows * grid.cols, size = checked_mul(call.m, call.n);
  const Block block(checked_mul(size, grid.chunks * static_cast<int64_t>(sizeof(T))));
  T* const partial = static_cast<T*>(block.data);  // (chunks, m, n)
  parallel_for(tiles * grid.chunks, 1, [&](int64_t begin, int64_t) {
    const int64_t chunk = begin / tiles, i = begin % tiles / grid.cols * grid.tile_m,
                  j = begin % grid.cols * grid.tile_n;
    const int64_t p = chunk * grid.chunk_k;
    multiply_tile<T>(std::min(grid.tile_m, call.m - i), std::min(grid.tile_n, call.n - j),
                     std::min(grid.chunk_k, call.k - p), call.alpha, call.a.at(i, p),
                     call.b.at(p, j), 0, nullptr, partial + chunk * size + i * call.n + j, call.n);
  });
  const auto add = kernels<Accumulate<T>>().add;
  parallel_for(call.m, std::max<int64_t>(1, 16384 / call.n),
               [&, n = call.n, beta = call.beta](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   T *y = call.c + i * call.ldc, *sums = partial + i * n;
                   for (int64_t chunk = 1; chunk < grid.chunks; ++chunk)
                     add(n, sums + chunk * size, 1, sums, 1);
                   if (epilogue.bias) add(n, epilogue.bias, 1, sums, 1);
                   for (int64_t j = 0; j < n; ++j)
                     y[j] = beta == T(0) ? sums[j] : sums[j] + beta * y[j];
                 }
               });
}

// Packs all panels of B (k, n).
template <class T>
void pack_in_parallel(const Product<T>& own, int64_t n, int64_t k, const StridedMatrix<const T>& b,
                      T* packed) {
  parallel_for(ceil_div(n, own.panel), std::max<int64_t>(1, (1 << 15) / (own.panel * k)),
               [&](int64_t first, int64_t last) { own.pack_panels(first, last, n, k, b, packed); });
}

// Many rows: B is packed once for all tiles, and a tile is as wide as C. Each tile has a quarter of
// the remaining rows: large tiles first, which use B's panels often, small ones at the end, so that
// all threads finish together (guided self-scheduling, Polychronopoulos and Kuck, 1987).
template <class T>
struct PackedOnce {
  static constexpr int64_t most = 1 << 22;  // elements of B
  // with fewer, it is faster if each tile packs its part into the cache
  static constexpr int64_t worthwhile_rows = 384;
  static constexpr int64_t least_rows = 24, most_rows = 192;
  std::vector<int64_t> tiles{0};  // tiles' first rows, then m

  explicit PackedOnce(int64_t m) {
    while (tiles.back() < m) {
      const int64_t rows =
          std::clamp(ceil_div(ceil_div(m - tiles.back(), 4), rows_together) * rows_together,
                     least_rows, most_rows);
      tiles.push_back(std::min(m, tiles.back() + rows));
    }
  }
  static bool is_worth(int64_t m, int64_t n, int64_t k) {
    return !is_for_blas(m, n, k) && m >= worthwhile_rows && n >= 16 && k <= 4 * m &&
           volume(m, n, k) > 1 << 23 && volume(n, k, 1) <= most;
  }

  void multiply(const Call<T>& call, const Epilogue<T>& epilogue) const {
    const Product<T>& own = own_product<T>();
    const int64_t panels = ceil_div(call.n, own.panel);
    const Block block(panels * own.panel * call.k * static_cast<int64_t>(sizeof(T)));
    T* const packed = static_cast<T*>(block.data);
    pack_in_parallel(own, call.n, call.k, call.b.ref(), packed);
    const auto multiply_rows = [&](int64_t tile, int64_t) {
      const int64_t begin = tiles[static_cast<size_t>(tile)],
                    end = tiles[static_cast<size_t>(tile) + 1];
      const Block scratch(own.packed_a_size(end - begin, call.k) * static_cast<int64_t>(sizeof(T)));
      own.multiply_by_panels(end - begin, call.n, call.k, call.alpha, call.a.at(begin, 0).ref(),
                             packed, call.beta, epilogue.bias, call.c + begin * call.ldc, call.ldc,
                             static_cast<T*>(scratch.data));
    };
    parallel_for(static_cast<int64_t>(tiles.size()) - 1, 1, multiply_rows, Sharing::in_order);
  }
};

// Few rows of A and a transposed B, such as a weight when many sentences are decoded at once:
// packing B would take too much of the time, so A is packed instead, once. Pieces are columns of C.
template <class T>
struct ByColumns {
  // bytes of A, which each group of B's columns reads again
  static constexpr double most = 1 << 20;

  static bool is_worth(const Call<T>& call) {
    const int64_t m = call.m, panel = own_product<T>().panel,
                  padding = ceil_div(m, panel) * panel - m;
    return !call.a.transpose && call.b.transpose && call.beta == T(0) && m >= few_rows &&
           2 * padding <= panel && 4 * padding <= m && volume(m, call.n, call.k) > 1 << 17 &&
           volume(m, call.k, sizeof(T)) <= most && !is_for_blas(m, call.n, call.k);
  }

  static void multiply(const Call<T>& call, const Epilogue<T>& epilogue) {
    const Product<T>& own = own_product<T>();
    const int64_t panels = ceil_div(call.m, own.panel), n = call.n, k = call.k;
    const Block block(panels * own.panel * k * static_cast<int64_t>(sizeof(T)));
    T* const packed = static_cast<T*>(block.data);
    pack_in_parallel(own, call.m, k, {call.a.data, 1, call.a.ld}, packed);
    const int64_t columns =
        ceil_div(ceil_div(n, Grid::worthwhile_pieces(call.m, n, k)), rows_together) * rows_together;
    parallel_for(n, columns, [&](int64_t begin, int64_t end) {
      own.multiply_by_columns(call.m, end - begin, k, call.alpha, packed, call.b.at(0, begin).ref(),
                              epilogue.bias ? epilogue.bias + begin : nullptr, call.c + begin,
                              call.ldc);
    });
  }
};

void check_rows(const char* what, int64_t ld, int64_t rows, int64_t cols) {
  SLOPE_CHECK_SHAPE(ld >= cols || rows <= 1, "gemm: rows of {} are {} elements apart but {} long",
                    what, ld, cols);
  SLOPE_CHECK_SHAPE(
      ld <= int_limit || rows <= 1,
      "gemm: rows of {} are {} elements apart, more than BLAS can count; copy it first", what, ld);
}

template <class T>
Operand<T> operand(const char* what, const T* data, int64_t ld, bool transpose, int64_t rows,
                   int64_t cols) {
  if (transpose) std::swap(rows, cols);
  check_rows(what, ld, rows, cols);
  return {data, rows <= 1 ? std::max<int64_t>(cols, 1) : ld, transpose};
}

}  // namespace

template <class T>
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, T alpha, const T* a,
          int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc,
          const Epilogue<T>& epilogue) {
  if (m == 0 || n == 0) return;
  initialise_blas();
  check_rows("C", ldc, m, n);
  const Call<T> call{m,
                     n,
                     k,
                     alpha,
                     operand("A", a, lda, transpose_a, m, k),
                     operand("B", b, ldb, transpose_b, k, n),
                     beta,
                     c,
                     m == 1 ? n : ldc};
  if constexpr (std::is_same_v<T, float>)
    if (rounds<T>())
      return bf16_gemm(m, n, k, alpha, call.a, call.b, beta, epilogue.bias, c, call.ldc);
  if (PackedOnce<T>::is_worth(m, n, k)) return PackedOnce<T>(m).multiply(call, epilogue);
  if (ByColumns<T>::is_worth(call)) return ByColumns<T>::multiply(call, epilogue);
  const Grid grid(m, n, k, transpose_a, true);
  if (grid.chunks > 1) return multiply_in_chunks_of_k(call, grid, epilogue);
  parallel_for(grid.rows * grid.cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t / grid.cols * grid.tile_m, j = t % grid.cols * grid.tile_n;
      call.tile(i, std::min(grid.tile_m, call.m - i), j, std::min(grid.tile_n, call.n - j),
                epilogue);
    }
  });
}

template <class T>
bool adds_finished_sums(int64_t m, int64_t n, int64_t k) {
  if (rounds<T>() && bf16_product()) return k <= bf16_depth;
  return PackedOnce<T>::is_worth(m, n, k) && k <= product_depth;
}

template <class T>
void gemm_batched(const Dims& batch, int64_t m, int64_t n, int64_t k, T alpha,
                  const MatrixBatch<const T>& a, const MatrixBatch<const T>& b, T beta,
                  const MatrixBatch<T>& c) {
  const int64_t items = numel(batch);
  if (m == 0 || n == 0 || items == 0) return;
  initialise_blas();
  check_rows("C", c.ld, m, n);
  const Operand<T> left = operand("A", a.data, a.ld, a.transpose, m, k),
                   right = operand("B", b.data, b.ld, b.transpose, k, n);
  const Grid grid(m, n, k, a.transpose, false);
  const int64_t tiles = grid.rows * grid.cols;
  const auto grain = static_cast<int64_t>(
      1 + 1.5e6 / volume(grid.tile_m, grid.tile_n, std::max<int64_t>(k, 1)));  // about 50 µs
  const bool rounded = rounds<T>();
  parallel_for(checked_mul(items, tiles), grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t rest = t / tiles, at_a = 0, at_b = 0, at_c = 0;
      for (size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
        const int64_t at = rest % batch[d];
        at_a += at * a.strides[d];
        at_b += at * b.strides[d];
        at_c += at * c.strides[d];
      }
      const int64_t i = t % tiles / grid.cols * grid.tile_m, j = t % grid.cols * grid.tile_n;
      const Call<T> call{m,
                         n,
                         k,
                         alpha,
                         {left.data + at_a, left.ld, left.transpose},
                         {right.data + at_b, right.ld, right.transpose},
                         beta,
                         c.data + at_c,
                         m == 1 ? n : c.ld};
      const int64_t height = std::min(grid.tile_m, m - i), width = std::min(grid.tile_n, n - j);
      if constexpr (std::is_same_v<T, float>)
        if (rounded) {
          bf16_multiply(height, width, k, alpha, call.a.at(i, 0), call.b.at(0, j), beta, nullptr,
                        call.c + i * call.ldc + j, call.ldc);
          continue;
        }
      call.tile(i, height, j, width, {});
    }
  });
}

template void gemm(bool, bool, int64_t, int64_t, int64_t, float, const float*, int64_t,
                   const float*, int64_t, float, float*, int64_t, const Epilogue<float>&);
template void gemm(bool, bool, int64_t, int64_t, int64_t, double, const double*, int64_t,
                   const double*, int64_t, double, double*, int64_t, const Epilogue<double>&);
template bool adds_finished_sums<float>(int64_t, int64_t, int64_t);
template bool adds_finished_sums<double>(int64_t, int64_t, int64_t);
template void gemm_batched(const Dims&, int64_t, int64_t, int64_t, float,
                           const MatrixBatch<const float>&, const MatrixBatch<const float>&, float,
                           const MatrixBatch<float>&);
template void gemm_batched(const Dims&, int64_t, int64_t, int64_t, double,
                           const MatrixBatch<const double>&, const MatrixBatch<const double>&,
                           double, const MatrixBatch<double>&);

}  // namespace slope
