// Attention whose products round to bf16, on each unit that the CPU has: output and gradients of
// one head against sums in double, which heads it leaves to f32, positions that are masked.
#include <doctest/doctest.h>
#include <slope/core/kernels/bf16/bf16_product.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/tensor/dtype.h>
#include <slope/tests/numbers.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace slope;

#if defined(SLOPE_X86_VARIANTS)
namespace {

using Numbers = std::vector<float>;
using Doubles = std::vector<double>;

size_t at(int64_t i) { return static_cast<size_t>(i); }

// The rows of q, k, v and g, and what a row may see.
struct Given {
  int64_t L, S, D, E;
  bool causal;
  Numbers q = test::numbers<float>(L * D, 1), k = test::numbers<float>(S * D, 2),
          v = test::numbers<float>(S * E, 3), g = test::numbers<float>(L * E, 4);
  std::vector<char> allowed = std::vector<char>(at(L * S), 1);

  bool sees(int64_t i, int64_t j) const {
    return allowed[at(i * S + j)] && (!causal || j <= i + S - L);
  }
  AttentionHead<float> head() const {
    return {L,
            S,
            D,
            E,
            {q.data(), D, 1},
            {k.data(), D, 1},
            {v.data(), E, 1},
            {reinterpret_cast<const bool*>(allowed.data()), S, 1},
            causal,
            0.3F,
            nullptr,
            0};
  }
};

struct Results {
  Doubles o, dq, dk, dv;
};

Results expected(const Given& x) {
  const auto& [L, S, D, E] = std::tie(x.L, x.S, x.D, x.E);
  constexpr double scale = 0.3F;
  Results y{Doubles(at(L * E)), Doubles(at(L * D)), Doubles(at(S * D)), Doubles(at(S * E))};
  const auto dot = [](const Numbers& a, int64_t i, const Numbers& b, int64_t j, int64_t width) {
    double sum = 0;
    for (int64_t e = 0; e < width; ++e)
      sum += static_cast<double>(a[at(i * width + e)]) * b[at(j * width + e)];
    return sum;
  };
  for (int64_t i = 0; i < L; ++i) {
    Doubles p(at(S)), dp(at(S));
    double sum = 0, mean = 0;
    for (int64_t j = 0; j < S; ++j)
      if (x.sees(i, j)) sum += p[at(j)] = std::exp(scale * dot(x.q, i, x.k, j, D));
    for (int64_t j = 0; j < S; ++j)
      if (x.sees(i, j)) {
        p[at(j)] /= sum;
        dp[at(j)] = dot(x.g, i, x.v, j, E);
        mean += p[at(j)] * dp[at(j)];
      }
    for (int64_t j = 0; j < S; ++j) {
      if (!x.sees(i, j)) continue;
      const double ds = scale * p[at(j)] * (dp[at(j)] - mean);
      for (int64_t e = 0; e < E; ++e) {
        y.o[at(i * E + e)] += p[at(j)] * x.v[at(j * E + e)];
        y.dv[at(j * E + e)] += p[at(j)] * x.g[at(i * E + e)];
      }
      for (int64_t d = 0; d < D; ++d) {
        y.dq[at(i * D + d)] += ds * x.k[at(j * D + d)];
        y.dk[at(j * D + d)] += ds * x.q[at(i * D + d)];
      }
    }
  }
  return y;
}

double relative_error(const Numbers& x, const Doubles& exact) {
  double error = 0, size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    error += (x[i] - exact[i]) * (x[i] - exact[i]);
    size += exact[i] * exact[i];
  }
  return std::sqrt(error / size);
}

void check(const AttentionKernels<float>& run, const Given& x, int64_t tile) {
  const AttentionHead<float> head = x.head();
  const StridedMatrix<const float> g{x.g.data(), x.E, 1};
  REQUIRE(run.takes(head, {}));
  REQUIRE(run.takes(head, g));
  const auto L = x.L;
  Numbers o(at(L * x.E)), dq(at(L * x.D)), dk(at(x.S * x.D)), dv(at(x.S * x.E)), max(at(L)),
      inverse(at(L)), memory(at(run.backward_scratch(head, tile)) + 16);
  void* aligned = memory.data();
  size_t space = memory.size() * sizeof(float);
  auto* scratch = static_cast<float*>(std::align(64, 64, aligned, space));
  run.forward(head, 0, L / 2, tile, {o.data(), x.E, 1}, max.data(), inverse.data(), {}, scratch);
  run.forward(head, L / 2, L, tile, {o.data(), x.E, 1}, max.data(), inverse.data(), {}, scratch);
  const Results exact = expected(x);
  CHECK(relative_error(o, exact.o) < 8e-3);
  for (const bool own_statistics : {false, true}) {
    for (Numbers* d : {&dq, &dk, &dv}) std::fill(d->begin(), d->end(), 0.0f);
    run.backward(head, tile, g, {}, own_statistics ? nullptr : max.data(),
                 own_statistics ? nullptr : inverse.data(), {dq.data(), x.D, 1},
                 {dk.data(), x.D, 1}, {dv.data(), x.E, 1}, scratch);
    for (const auto& [found, right] :
         {std::pair{&o, &exact.o}, {&dq, &exact.dq}, {&dk, &exact.dk}, {&dv, &exact.dv}}) {
      CHECK(relative_error(*found, *right) < 8e-3);
      CHECK(relative_error(*found, *right) > 1e-4);  // it was rounded
    }
  }
}

std::vector<AttentionKernels<float>> units() {
  std::vector<AttentionKernels<float>> found;
  if (bf16_support().offers(Bf16Unit::avx512)) found.push_back(avx512_bf16_attention());
  if (bf16_support().offers(Bf16Unit::amx)) found.push_back(amx_bf16_attention());
  if (found.empty()) MESSAGE("skipped: this CPU or system has no unit for bf16");
  return found;
}

}  // namespace

TEST_CASE("bf16 attention: output and gradients of a head, by each unit") {
  for (const AttentionKernels<float>& run : units())
    for (const bool causal : {false, true})
      for (const auto& [L, S, D, E] : {std::array<int64_t, 4>{24, 24, 32, 32},
                                       {70, 90, 40, 24},
                                       {33, 65, 17, 70},
                                       {200, 40, 32, 32},  // causal: early tiles see no key
                                       {130, 130, 64, 64}}) {
        Given x{L, S, D, E, causal};
        for (int64_t i = 0; i < L * S; ++i) x.allowed[at(i)] = i % S < 2 || i % 7 != 0;
        for (const int64_t tile : {int64_t{16}, int64_t{64}}) check(run, x, std::min(L, tile));
      }
}

TEST_CASE("bf16 attention: over 262144 keys of equal weight the output keeps its digits") {
  const float value = 1.1015625F;  // in bf16 too
  Given x{2, 1 << 18, 1, 16, false};
  x.q = Numbers(x.q.size());
  x.v = Numbers(x.v.size(), value);
  const AttentionHead<float> head = x.head();
  for (const AttentionKernels<float>& run : units()) {
    REQUIRE(run.takes(head, {}));
    Numbers o(at(x.L * x.E)), max(2), inverse(2), memory(at(run.forward_scratch(head, 2)) + 16);
    void* aligned = memory.data();
    size_t space = memory.size() * sizeof(float);
    auto* scratch = static_cast<float*>(std::align(64, 64, aligned, space));
    run.forward(head, 0, 2, 2, {o.data(), x.E, 1}, max.data(), inverse.data(), {}, scratch);
    for (const float y : o) CHECK(std::abs(y - value) < 1e-5F);
  }
}

TEST_CASE("bf16 attention: rows that see nothing, and heads that are left to f32") {
  for (const AttentionKernels<float>& run : units()) {
    Given x{40, 40, 32, 32, true};
    for (int64_t j = 0; j < x.S; ++j) x.allowed[at(3 * x.S + j)] = 0;
    check(run, x, 16);
    const StridedMatrix<const float> g{x.g.data(), x.E, 1};
    CHECK_FALSE(run.takes(Given{4, 4, 8, 8, false}.head(), {}));  // too small
    CHECK_FALSE(run.takes(Given{1, 5000, 64, 64, false}.head(), {}));
    AttentionHead<float> other = x.head();
    other.k = {x.k.data(), 1, x.S};  // columns lie in memory
    CHECK_FALSE(run.takes(other, {}));
    for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf(""), 3.4e38F}) {
      Given y = x;
      y.v[5] = bad;
      CHECK_FALSE(run.takes(y.head(), {}));
      y = x;
      y.k[5] = bad;
      CHECK(run.takes(y.head(), {}));  // a hidden score is replaced
      CHECK_FALSE(run.takes(y.head(), g));
    }
  }
}
#endif
