// Products against a triple loop in long double, with every flag, scale and awkward size; the same
// bits for any number of threads.
#include <doctest/doctest.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/kernels/product/dots.h>
#include <slope/core/kernels/product/product.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/blas.h>
#include <slope/core/product/blas_buffers.h>
#include <slope/core/product/gemm.h>
#include <slope/tests/numbers.h>
#include <slope/tests/sanitized.h>
#include <slope/tests/threads.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>
#if defined(SLOPE_BLAS)
#include <fstream>
#include <thread>
#endif

using namespace slope;

namespace {

using test::numbers;

struct GemmSizes {
  int64_t m, n, k;
};

// Rows of A and B are `slack` longer than needed, so that a wrong leading dimension is found.
template <class T>
void check_product(GemmSizes size, bool ta, bool tb, T alpha, T beta, bool with_bias) {
  const auto [m, n, k] = size;
  const int64_t slack = 3, lda = (ta ? m : k) + slack, ldb = (tb ? k : n) + slack, ldc = n + slack;
  const std::vector<T> a = numbers<T>((ta ? k : m) * lda, 1), b = numbers<T>((tb ? n : k) * ldb, 2),
                       bias = numbers<T>(n, 3), c = numbers<T>(m * ldc, 4);
  std::vector<T> y = c;
  if (beta == T(0))
    for (int64_t i = 0; i < m; ++i)
      std::fill_n(y.begin() + i * ldc, n, std::numeric_limits<T>::quiet_NaN());  // must not be read
  gemm<T>(ta, tb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, y.data(), ldc,
          {.bias = with_bias ? bias.data() : nullptr});
  double worst = 0;
  bool slack_kept = true;
  const int64_t step = m * n * k > (test::slow ? 100000 : 4000000) ? 37 : 1;
  for (int64_t e = 0; e < m * n; e += step) {
    const int64_t i = e / n, j = e % n;
    long double sum = 0, size_of_sum = 1;
    for (int64_t p = 0; p < k; ++p) {
      const long double term =
          static_cast<long double>(a[static_cast<size_t>(ta ? p * lda + i : i * lda + p)]) *
          b[static_cast<size_t>(tb ? j * ldb + p : p * ldb + j)];
      sum += term, size_of_sum += std::abs(term);
    }
    const long double expected =
        alpha * sum +
        (beta == T(0) ? 0 : beta * static_cast<long double>(c[static_cast<size_t>(i * ldc + j)])) +
        (with_bias ? bias[static_cast<size_t>(j)] : 0);
    worst = std::max(worst,
                     static_cast<double>(std::abs(expected - y[static_cast<size_t>(i * ldc + j)]) /
                                         size_of_sum));
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = n; j < ldc; ++j)
      slack_kept &= y[static_cast<size_t>(i * ldc + j)] == c[static_cast<size_t>(i * ldc + j)];
  const std::string call = fmt::format("m {} n {} k {} flags {} {} alpha {} beta {} bias {}", m, n,
                                       k, ta, tb, alpha, beta, with_bias);
  CHECK_MESSAGE(worst < 4 * std::numeric_limits<T>::epsilon(), call);
  CHECK_MESSAGE(slack_kept, call);
}

// In the last three sizes, rows or columns of a matrix without slack are a multiple of a page
// apart.
const std::vector<GemmSizes> sizes = {
    {1, 1, 1},       {1, 7, 5},      {5, 1, 3},       {6, 16, 8},    {7, 17, 9},    {24, 24, 32},
    {13, 33, 300},   {64, 96, 64},   {100, 50, 70},   {1, 300, 256}, {300, 1, 256}, {130, 520, 40},
    {40, 24, 5000},  {257, 513, 65}, {1000, 40, 300}, {3, 101, 77},  {11, 70, 256}, {450, 200, 300},
    {20, 1050, 300}, {26, 40, 1024}, {1024, 40, 26},  {26, 1024, 40}};

// -0.7 A B + beta C + bias by `multiply` has the bits of the plain product, for
// every flag and size.
template <class T, class F>
void check_same_bits(const F& multiply, T beta = T(0.3)) {
  const Product<T>& product = kernels<Product<T>>();
  for (const auto& [m, n, k] : sizes)
    for (int flags = 0; flags < 4; ++flags) {
      const bool ta = flags & 1, tb = flags & 2;
      const std::vector<T> a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2),
                           bias = numbers<T>(n, 3);
      std::vector<T> other = numbers<T>(m * n, 4), plain = other;
      const StridedMatrix<const T> left{a.data(), ta ? 1 : k, ta ? m : 1},
          right{b.data(), tb ? 1 : n, tb ? k : 1};
      product.multiply(m, n, k, T(-0.7), left, right, beta, bias.data(), plain.data(), n);
      multiply(GemmSizes{m, n, k}, T(-0.7), left, right, beta, bias.data(), other.data());
      const std::string what = fmt::format("m {} n {} k {} flags {} {}", m, n, k, ta, tb);
      CHECK_MESSAGE(other == plain, what);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("gemm: equals the triple loop for every flag, scale and bias", T, float,
                   double) {
  for (const GemmSizes& size : sizes)
    for (int flags = 0; flags < 4; ++flags) {
      check_product<T>(size, flags & 1, flags & 2, 1, 0, false);
      check_product<T>(size, flags & 1, flags & 2, T(-0.5), 1, true);
      check_product<T>(size, flags & 1, flags & 2, 1, T(0.25), false);
      check_product<T>(size, flags & 1, flags & 2, 1, 0, true);
    }
}

// Both kernels, whichever `gemm` chooses on this CPU.
template <class T>
std::array<Product<T>, 2> products() {
  return {kernels<Product<T>>(), kernels<PackingProduct<T>>()};
}

TEST_CASE_TEMPLATE("product: packed and read in place give the same bits", T, float, double) {
  for (const Product<T>& product : products<T>())
    check_same_bits<T>([&](GemmSizes size, T alpha, StridedMatrix<const T> a,
                           StridedMatrix<const T> b, T beta, const T* bias, T* c) {
      std::vector<T> scratch(static_cast<size_t>(product.packed_size(size.m, size.n, size.k)));
      product.multiply_packed(size.m, size.n, size.k, alpha, a, b, beta, bias, c, size.n,
                              scratch.data());
    });
}

TEST_CASE_TEMPLATE("product: panels packed once give the same bits", T, float, double) {
  for (const Product<T>& product : products<T>())
    check_same_bits<T>([&](GemmSizes size, T alpha, StridedMatrix<const T> a,
                           StridedMatrix<const T> b, T beta, const T* bias, T* c) {
      const auto [m, n, k] = size;
      const int64_t panels = (n + product.panel - 1) / product.panel;
      std::vector<T> scratch(static_cast<size_t>(product.packed_a_size(m, k)));
      std::vector<T> packed(static_cast<size_t>(panels * product.panel * k));
      product.pack_panels(0, panels / 2, n, k, b, packed.data());
      product.pack_panels(panels / 2, panels, n, k, b, packed.data());
      product.multiply_by_panels(m, n, k, alpha, a, packed.data(), beta, bias, c, n,
                                 scratch.data());
    });
}

TEST_CASE_TEMPLATE("product: with A packed and B by columns the same bits", T, float, double) {
  for (const Product<T>& product : products<T>())
    check_same_bits<T>(
        [&](GemmSizes size, T alpha, StridedMatrix<const T> a, StridedMatrix<const T> b, T,
            const T* bias, T* c) {
          const auto [m, n, k] = size;
          const int64_t panels = (m + product.panel - 1) / product.panel;
          std::vector<T> packed(static_cast<size_t>(panels * product.panel * k)),
              columns(static_cast<size_t>(n * k));
          for (int64_t j = 0; j < n; ++j)
            for (int64_t p = 0; p < k; ++p)
              columns[static_cast<size_t>(j * k + p)] = b.data[p * b.row + j * b.col];
          product.pack_panels(0, panels, m, k, {a.data, a.col, a.row}, packed.data());
          product.multiply_by_columns(m, n, k, alpha, packed.data(), {columns.data(), 1, k}, bias,
                                      c, n);
        },
        T(0));
}

TEST_CASE_TEMPLATE("product: of zeros by a negative alpha, the same signs wherever a column is", T,
                   float, double) {
  const Product<T>& product = kernels<Product<T>>();
  constexpr int64_t m = 13, k = 7;
  for (int64_t n = 1; n <= 2 * product.panel + 1; ++n) {
    const std::vector<T> zeros(static_cast<size_t>(std::max(m, n) * k));
    std::vector<T> plain(static_cast<size_t>(m * n)),
        packed = plain, scratch(static_cast<size_t>(product.packed_size(m, n, k)));
    const StridedMatrix<const T> a{zeros.data(), k, 1}, b{zeros.data(), n, 1};
    product.multiply(m, n, k, -1, a, b, 0, nullptr, plain.data(), n);
    product.multiply_packed(m, n, k, -1, a, b, 0, nullptr, packed.data(), n, scratch.data());
    const auto is_minus_zero = [](T x) { return x == 0 && std::signbit(x); };
    CHECK(std::all_of(plain.begin(), plain.end(), is_minus_zero));
    CHECK(std::all_of(packed.begin(), packed.end(), is_minus_zero));
  }
}

TEST_CASE_TEMPLATE("dots: an element has the same bits wherever it is", T, float, double) {
  constexpr int64_t m = 5, n = 23, k = 77;
  const std::vector<T> a = numbers<T>(m * k, 1), w = numbers<T>(n * k, 2);
  std::vector<T> all(m * n), one(1);
  const auto multiply = kernels<Dots<T>>().multiply;
  multiply(m, n, k, 1, a.data(), k, w.data(), k, 0, nullptr, all.data(), n);
  int different = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      multiply(1, 1, k, 1, a.data() + i * k, k, w.data() + j * k, k, 0, nullptr, one.data(), 1);
      different += one[0] != all[static_cast<size_t>(i * n + j)];
    }
  CHECK(different == 0);
}

TEST_CASE("gemm: an inner size of 0 gives beta C, or the bias alone") {
  std::vector<double> c = {1, 2, 3, 4, 5, 6}, bias = {10, 20, 30};
  const double none = 0;
  gemm<double>(false, false, 2, 3, 0, 1, &none, 0, &none, 3, 0.5, c.data(), 3);
  CHECK(c == std::vector<double>{0.5, 1, 1.5, 2, 2.5, 3});
  gemm<double>(false, true, 2, 3, 0, 1, &none, 0, &none, 0, 0, c.data(), 3, {.bias = bias.data()});
  CHECK(c == std::vector<double>{10, 20, 30, 10, 20, 30});
  gemm<double>(false, false, 2, 3, 0, 1, &none, 0, &none, 3, 0, c.data(), 3);
  CHECK(c == std::vector<double>(6, 0.0));
  gemm<double>(false, false, 0, 3, 2, 1, &none, 2, &none, 3, 0, c.data(), 3);
  gemm<double>(false, false, 2, 0, 2, 1, &none, 2, &none, 0, 0, c.data(), 0);
}

#if defined(SLOPE_BLAS)
TEST_CASE("blas: threads that come and go share buffers") {
  const auto mapped = [] {  // bytes of addresses
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * 4096;
  };
  std::thread(ensure_blas_buffer).join();
  const int64_t before = mapped();
  for (int i = 0; i < 300; ++i) std::thread(ensure_blas_buffer).join();
  CHECK(mapped() - before < 1 << 30);
}
#endif

TEST_CASE_TEMPLATE("gemm: the same bits for 1, 2, 3, 4 and 7 threads", T, float, double) {
  const KeepThreads restore;
  for (const GemmSizes& size : std::vector<GemmSizes>{{700, 600, 128},
                                                      {64, 700, 256},
                                                      {96, 80, 9000},
                                                      {33, 700, 300},
                                                      {1, 2000, 300},
                                                      {600, 40, 1000},
                                                      {5, 4000, 128}})
    for (int flags = 0; flags < 4; ++flags) {
      const bool ta = flags & 1, tb = flags & 2;
      const auto [m, n, k] = size;
      const std::vector<T> a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2),
                           bias = numbers<T>(n, 3);
      std::vector<T> first;
      for (const int threads : {1, 2, 3, 4, 7}) {
        set_num_threads(threads);
        std::vector<T> y(static_cast<size_t>(m * n));
        gemm<T>(ta, tb, m, n, k, 1, a.data(), ta ? m : k, b.data(), tb ? k : n, 0, y.data(), n,
                {.bias = bias.data()});
        if (first.empty()) first = y;
        const std::string what =
            fmt::format("m {} n {} k {} flags {} {}, {} threads", m, n, k, ta, tb, threads);
        CHECK_MESSAGE(y == first, what);
      }
    }
}

TEST_CASE_TEMPLATE("gemm_batched: each item is the product alone, whatever the strides and threads",
                   T, float, double) {
  const KeepThreads restore;
  // attention: (B, L, H, D) seen as (B, H, L, D)
  const int64_t B = 3, H = 4, L = 24, S = 26, D = 32;
  const std::vector<T> q = numbers<T>(B * L * H * D, 1), key = numbers<T>(B * S * H * D, 2);
  std::vector<T> first;
  for (const int threads : {1, 2, 3, 4, 7}) {
    set_num_threads(threads);
    std::vector<T> scores(static_cast<size_t>(B * H * L * S));
    gemm_batched<T>({B, H}, L, S, D, T(0.5), {q.data(), H * D, false, {L * H * D, D}},
                    {key.data(), H * D, true, {S * H * D, D}}, 0,
                    {scores.data(), S, false, {H * L * S, L * S}});
    if (first.empty()) first = scores;
    CHECK_MESSAGE(scores == first, threads << " threads");
  }
  double worst = 0;
  for (int64_t e = 0; e < B * H * L * S; ++e) {
    const int64_t s = e % S, l = e / S % L, h = e / S / L % H, item = e / S / L / H;
    double sum = 0;
    for (int64_t d = 0; d < D; ++d)
      sum += 0.5 * q[static_cast<size_t>(((item * L + l) * H + h) * D + d)] *
             key[static_cast<size_t>(((item * S + s) * H + h) * D + d)];
    worst = std::max(worst, std::abs(sum - first[static_cast<size_t>(e)]));
  }
  CHECK(worst < 40 * std::numeric_limits<T>::epsilon());
}

TEST_CASE("gemm: rows that overlap or are too far apart are refused") {
  const std::vector<float> a(16, 1.0f);
  std::vector<float> c(16);
  CHECK_THROWS_WITH_AS(
      gemm<float>(false, false, 2, 2, 4, 1, a.data(), 3, a.data(), 2, 0, c.data(), 2),
      "gemm: rows of A are 3 elements apart but 4 long", ShapeError);
  CHECK_THROWS_AS(
      gemm<float>(false, true, 2, 2, 4, 1, a.data(), 4, a.data(), int64_t{1} << 32, 0, c.data(), 2),
      ShapeError);
  // one row: its stride does not matter
  gemm<float>(false, false, 1, 2, 4, 1, a.data(), int64_t{1} << 40, a.data(), 2, 0, c.data(), 2);
  CHECK(c[1] == 4.0f);
}

TEST_CASE("blas: the remedy switches only to what the CPU has and the choice lacks") {
  struct Row {
    const char* chosen;
    std::optional<std::string> sse, avx2, avx512;  // if the CPU has them
  };
  constexpr auto keep = std::nullopt;
  for (const Row& row :
       {Row{"Prescott", keep, "Haswell", "SkylakeX"}, Row{"Nehalem", keep, "Haswell", "SkylakeX"},
        Row{"Sandybridge", keep, "Haswell", "SkylakeX"},
        Row{"of a later version", keep, "Haswell", "SkylakeX"},
        Row{"Haswell", keep, keep, "SkylakeX"}, Row{"Zen", keep, keep, "SkylakeX"},
        Row{"Excavator", keep, keep, "SkylakeX"}, Row{"SkylakeX", keep, keep, keep},
        Row{"Cooperlake", keep, keep, keep}, Row{"SapphireRapids", keep, keep, keep}}) {
    INFO(row.chosen);
    CHECK(better_blas_core(row.chosen, Vectors::sse) == row.sse);
    CHECK(better_blas_core(row.chosen, Vectors::avx2) == row.avx2);
    CHECK(better_blas_core(row.chosen, Vectors::avx512) == row.avx512);
  }
  CHECK_FALSE(blas_description().empty());
}
