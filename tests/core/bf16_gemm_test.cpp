// Products of operands rounded to bf16: against sums in double, the same bits for any number of
// threads, on each unit that the CPU has.
#include <doctest/doctest.h>
#include <slope/core/kernels/bf16/bf16_product.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_gemm.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/gemm.h>
#include <slope/tests/numbers.h>
#include <slope/tests/sanitized.h>
#include <slope/tests/threads.h>

#include <cmath>
#include <vector>

using namespace slope;

namespace {

using Numbers = std::vector<float>;

Numbers numbers(int64_t n, uint32_t site) { return test::numbers<float>(n, site); }

std::vector<uint16_t> bits(const Numbers& x) {
  std::vector<uint16_t> result;
  for (const float value : x) result.push_back(BFloat16(value).bits);
  return result;
}

// alpha A B + beta C + bias of rounded operands, which the arguments' strides describe.
struct Expected {
  int64_t m, n, k;
  StridedMatrix<const float> a, b;
  float alpha, beta;
  const float *bias, *c;

  double at(int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t p = 0; p < k; ++p)
      sum += static_cast<double>(round_to_bf16(a.data[i * a.row + p * a.col])) *
             round_to_bf16(b.data[p * b.row + j * b.col]);
    return alpha * sum + (bias ? bias[j] : 0) + (beta != 0 ? beta * c[i * n + j] : 0);
  }
  double worst(const Numbers& y) const {
    double worst = 0;
    const int64_t step = m * n > (test::slow ? 1000 : 10000) ? 37 : 1;
    for (int64_t e = 0; e < m * n; e += step)
      worst = std::max(worst, std::abs(y[static_cast<size_t>(e)] - at(e / n, e % n)));
    return worst / std::sqrt(static_cast<double>(k) + 1);
  }
};

constexpr double precise = 4e-6;  // the error of f32 sums; with bf16 sums it would be 4e-3

[[maybe_unused]] void check_kernel(const Bf16Product& own) {  // only on x86
  int64_t odd = 0;
  for (const int64_t m : {1, 12, 13, 16, 17, 32, 47})
    for (const int64_t n : {1, 16, 31, 32, 33, 70})
      for (const int64_t k : {1, 2, 31, 32, 33, 70}) {
        const bool ta = ++odd & 1, tb = odd & 2, with_bias = odd & 4;
        const float alpha = odd & 8 ? 0.5F : 1, beta = odd & 16 ? 0.25F : 0;
        const Numbers a = numbers(m * k, 1), b = numbers(k * n, 2), bias = numbers(n, 3),
                      c = numbers(m * n, 4);
        const Expected product{m,
                               n,
                               k,
                               {a.data(), ta ? 1 : k, ta ? m : 1},
                               {b.data(), tb ? 1 : n, tb ? k : 1},
                               alpha,
                               beta,
                               with_bias ? bias.data() : nullptr,
                               c.data()};
        std::vector<uint16_t> rows(static_cast<size_t>(own.rows_size(m, k))),
            panels(static_cast<size_t>(own.panels_size(n, k)));
        own.pack.rows(m, k, product.a, rows.data(), own.row_stride(k));
        own.pack.panels(n, k, product.b, panels.data(), own.panel_stride(k));
        Numbers y = c;
        own.multiply(m, n, k, rows.data(), panels.data(), {alpha, beta, product.bias, y.data(), n});
        CHECK_MESSAGE(product.worst(y) < precise, fmt::format("m {} n {} k {}", m, n, k));
        // operands that are in bf16 already
        const std::vector<uint16_t> a16 = bits(a), b16 = bits(b), before = rows,
                                    panels_before = panels;
        own.pack_bf16.rows(m, k, {a16.data(), product.a.row, product.a.col}, rows.data(),
                           own.row_stride(k));
        own.pack_bf16.panels(n, k, {b16.data(), product.b.row, product.b.col}, panels.data(),
                             own.panel_stride(k));
        CHECK(rows == before);
        CHECK(panels == panels_before);
      }
}

struct Sizes {
  int64_t m, n, k;
};
const std::vector<Sizes> all_sizes = {{1, 1, 1},      {7, 5, 3},       {100, 90, 65},
                                      {300, 200, 96}, {16, 300, 5000}, {700, 600, 128},
                                      {5, 2100, 40},  {130, 66, 4100}};

}  // namespace

TEST_CASE("bf16: the kernels of each unit") {
#if defined(SLOPE_X86_VARIANTS)
  if (bf16_support().offers(Bf16Unit::avx512))
    check_kernel(avx512_bf16_product());
  else
    MESSAGE("skipped: this CPU has no AVX512-BF16");
  if (bf16_support().offers(Bf16Unit::amx))
    check_kernel(amx_bf16_product());
  else
    MESSAGE("skipped: this CPU or system has no AMX");
#endif
}

TEST_CASE(
    "bf16: a product rounds its operands and sums in f32, with the same bits on all threads") {
  const KeepThreads restore;
  const Autocast autocast(bf16);
  for (const auto& [m, n, k] : all_sizes)
    for (int flags = 0; flags < 8; flags += test::slow && m * n * k > 10'000'000 ? 7 : 1) {
      const bool ta = flags & 1, tb = flags & 2, adds = flags & 4;
      const Numbers a = numbers(m * k, 1), b = numbers(k * n, 2), bias = numbers(n, 3),
                    c = numbers(m * n, 4);
      const Expected product{m,
                             n,
                             k,
                             {a.data(), ta ? 1 : k, ta ? m : 1},
                             {b.data(), tb ? 1 : n, tb ? k : 1},
                             1,
                             adds ? 1.0F : 0,
                             adds ? nullptr : bias.data(),
                             c.data()};
      const std::string what = fmt::format("m {} n {} k {} flags {}", m, n, k, flags);
      Numbers first;
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        Numbers y = c;
        gemm<float>(ta, tb, m, n, k, 1, a.data(), ta ? m : k, b.data(), tb ? k : n, product.beta,
                    y.data(), n, {.bias = product.bias});
        if (first.empty()) {
          first = y;
          CHECK_MESSAGE(product.worst(y) < precise, what);
        }
        CHECK_MESSAGE(y == first, what);
      }
    }
}

TEST_CASE("bf16: operands in bf16 give the bits of f32 ones with the same values") {
  for (const auto& [m, n, k] : all_sizes)
    for (int flags = 0; flags < 4; flags += test::slow && m * n * k > 10'000'000 ? 3 : 1) {
      const bool ta = flags & 1, tb = flags & 2;
      const Numbers a = numbers(m * k, 1), b = numbers(k * n, 2);
      const std::vector<uint16_t> a16 = bits(a), b16 = bits(b);
      const Operand<float> left{a.data(), ta ? m : k, ta}, right{b.data(), tb ? k : n, tb};
      const Operand<uint16_t> left16{a16.data(), left.ld, ta}, right16{b16.data(), right.ld, tb};
      const auto product = [m = m, n = n, k = k](const Bf16Operand& x, const Bf16Operand& y) {
        Numbers c(static_cast<size_t>(m * n));
        bf16_gemm(m, n, k, 1, x, y, 0, nullptr, c.data(), n);
        return c;
      };
      const Numbers expected = product(left, right);
      CHECK(product(left16, right) == expected);
      CHECK(product(left, right16) == expected);
      CHECK(product(left16, right16) == expected);
    }
}

TEST_CASE("bf16: a product that adds finished sums gives the bits of a sum afterwards") {
  const Autocast autocast(bf16);
  int told = 0;
  for (const auto& [m, n, k] : all_sizes) {
    if (!adds_finished_sums<float>(m, n, k)) continue;
    ++told;
    const Numbers a = numbers(m * k, 1), b = numbers(k * n, 2), c = numbers(m * n, 4);
    Numbers apart(c.size()), into = c;
    gemm<float>(false, false, m, n, k, 1, a.data(), k, b.data(), n, 0, apart.data(), n);
    gemm<float>(false, false, m, n, k, 1, a.data(), k, b.data(), n, 1, into.data(), n);
    for (size_t i = 0; i < c.size(); ++i) apart[i] += c[i];
    CHECK(into == apart);
  }
  CHECK((told > 0 || bf16_unit() == Bf16Unit::none));
}

TEST_CASE("bf16: each product of a batch; products of f64 are left alone") {
  const int64_t B = 3, L = 24, S = 26, D = 33;
  const Numbers q = numbers(B * L * D, 1), key = numbers(B * S * D, 2);
  Numbers y(static_cast<size_t>(B * L * S));
  const Autocast autocast(bf16);
  gemm_batched<float>({B}, L, S, D, 0.5F, {q.data(), D, false, {L * D}},
                      {key.data(), D, true, {S * D}}, 0, {y.data(), S, false, {L * S}});
  for (int64_t h = 0; h < B; ++h) {
    const Expected product{
        L, S,       D,      {q.data() + h * L * D, D, 1}, {key.data() + h * S * D, 1, D}, 0.5F,
        0, nullptr, nullptr};
    CHECK(product.worst({y.begin() + h * L * S, y.begin() + (h + 1) * L * S}) < precise);
  }
  const double a = 1 + 0x1p-30, b = 1;
  double c;
  gemm<double>(false, false, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
  CHECK(c == a);
}

TEST_CASE("bf16: nan and infinity pass through a product") {
  const Autocast autocast(bf16);
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Numbers a = {1, inf, std::nanf(""), 2}, b = {1, 2};
  Numbers c(4);
  gemm<float>(false, false, 2, 1, 2, 1, a.data(), 2, b.data(), 1, 0, c.data(), 1);
  CHECK(c[0] == inf);
  CHECK(std::isnan(c[1]));
}

TEST_CASE("autocast: a scope of this thread, f32 or bf16") {
  CHECK(autocast_dtype() == f32);
  {
    const Autocast outer(bf16);
    {
      const Autocast inner(f32);
      CHECK(autocast_dtype() == f32);
    }
    CHECK(autocast_dtype() == bf16);
  }
  CHECK(autocast_dtype() == f32);
  CHECK_THROWS_WITH_AS(Autocast{f64},
                       "autocast: the dtype must be float32 or bfloat16, got float64", DTypeError);
}
