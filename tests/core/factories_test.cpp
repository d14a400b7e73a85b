// New tensors: shapes, dtypes, bounds; the generator against Random123's known answers; draws that
// do not depend on threads.
#include <slope/core/loops/parallel.h>
#include <slope/core/tensor/factories.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace slope;
using Values = std::vector<double>;

namespace {
Values values(const Tensor& x) { return x.to_vector(); }
}  // namespace

TEST_CASE("factories: constants") {
  CHECK(values(zeros({2, 2})) == Values{0, 0, 0, 0});
  CHECK(values(full({3}, 2.5, f64)) == Values{2.5, 2.5, 2.5});
  CHECK(values(ones({2}, boolean)) == Values{1, 1});
  CHECK(ones({}, i64).item() == 1);
  CHECK(zeros({2, 0, 3}).numel() == 0);
  CHECK(values(eye(2, 3)) == Values{1, 0, 0, 0, 1, 0});
  CHECK(values(eye(2, -1, i64)) == Values{1, 0, 0, 1});
  CHECK(eye(2, 0).shape() == Dims{2, 0});
  CHECK_THROWS_AS((void)eye(3, -5), ShapeError);
  const Tensor x = ones({2, 3}, f64);
  CHECK(zeros_like(x).shape() == x.shape());
  CHECK(full_like(x, 7).dtype() == f64);
  CHECK_THROWS_AS((void)zeros({2, -1}), ShapeError);
}

TEST_CASE("factories: ranges have PyTorch's lengths and bounds") {
  CHECK(values(arange(4)) == Values{0, 1, 2, 3});
  CHECK(arange(4).dtype() == i64);
  CHECK(arange(0).numel() == 0);
  CHECK(values(arange(1, 2, 0.25, f64)) == Values{1, 1.25, 1.5, 1.75});
  CHECK(values(arange(5, 0, -2, i64)) == Values{5, 3, 1});
  CHECK(arange(3, 3, 1, f32).numel() == 0);
  CHECK_THROWS_AS((void)arange(0, 3, -1, f32), ShapeError);
  CHECK_THROWS_AS((void)arange(0, 3, 0, f32), ShapeError);
  CHECK_THROWS_AS((void)arange(-1), ShapeError);
  CHECK(values(linspace(0, 1, 5)) == Values{0, 0.25, 0.5, 0.75, 1});
  CHECK(values(linspace(3, 9, 1)) == Values{3});
  CHECK(linspace(0, 1, 0).numel() == 0);
  CHECK(linspace(0, 0.3, 4, f64).to_vector().back() == 0.3);
  CHECK(linspace(0.1, 0.7, 7, f64).to_vector()[3] == 0.39999999999999997);  // as PyTorch
  CHECK(linspace(-1.3, 2.9, 7, f64).to_vector()[3] == 0.7999999999999997);
}

TEST_CASE("factories: literals take their dtype from their numbers, and must not be ragged") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  CHECK(x.shape() == Dims{2, 3});
  CHECK(x.dtype() == i64);
  CHECK(tensor({1, 2.5}).dtype() == f32);
  CHECK(tensor({true, false}).dtype() == boolean);
  CHECK(tensor({1, 2}, f64).dtype() == f64);
  CHECK(tensor(2.5).rank() == 0);
  CHECK(tensor(int64_t{9007199254740993}).item<int64_t>() == 9007199254740993);  // not a double
  CHECK_THROWS_AS((void)tensor({{1, 2}, {3}}), ShapeError);
  CHECK_THROWS_AS((void)tensor({{1, 2}, 3}), ShapeError);
  CHECK_THROWS_AS((void)from_vector<float>({1, 2, 3}, {2}), ShapeError);
}

// Random123 1.14, examples/kat_vectors: philox4x32, 10 rounds.
TEST_CASE("random: Philox 4x32-10 gives the published known answers") {
  using Block = Philox::Block;
  CHECK(Philox::block({0, 0, 0, 0}, {0, 0}) ==
        Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(Philox::block({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(Philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE(
    "random: the same seed gives the same numbers, for any number of threads; every draw is "
    "another") {
  const int threads = num_threads();
  const auto draw = [](int n) {
    set_num_threads(n);
    manual_seed(7);
    Values all;
    for (const Tensor& x : {rand({3000, 3}), randn({5000}, f64), randint(-3, 4, {9000}),
                            randperm(100), bernoulli(full({7000}, 0.3))})
      for (double v : x.to_vector()) all.push_back(v);
    return all;
  };
  const Values one = draw(1);
  CHECK(one == draw(2));
  CHECK(one == draw(3));
  set_num_threads(threads);
  CHECK(values(rand({8})) != values(rand({8})));
  manual_seed(8);
  CHECK(values(rand({3000, 3}))[0] != one[0]);
}

TEST_CASE("random: elements in a row are those that are drawn one by one") {
  const RandomSite site{.seed = 0x123456789abcdef, .site = 5, .step = 9, .stream = 3 << 16 | 1};
  Values row(200);
  for (int64_t first : {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{129}, (int64_t{1} << 35) - 3})
    for (size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{67}, row.size() - 1}) {
      const auto check = [&](auto draw, auto number) {
        std::fill(row.begin(), row.end(), -1);
        draw(std::span(row).first(n));
        for (size_t i = 0; i < n; ++i) REQUIRE(row[i] == number(first + static_cast<int64_t>(i)));
        CHECK(row[n] == -1);
      };
      check([&](auto y) { uniform_f32(site, first, y); },
            [&](int64_t i) { return uniform_f32(site, i); });
      check([&](auto y) { uniform_f64(site, first, y); },
            [&](int64_t i) { return uniform_f64(site, i); });
      check([&](auto y) { normal(site, first, y); }, [&](int64_t i) { return normal(site, i); });
    }
}

TEST_CASE("random: a saved state continues where it stood") {
  manual_seed(1);
  (void)rand({5});
  const Generator saved = generator();
  const Values first = values(randn({5}));
  generator() = saved;
  CHECK(values(randn({5})) == first);
}

TEST_CASE("random: ranges and moments") {
  manual_seed(3);
  const int64_t n = 100000;
  const auto mean = [](const Values& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  for (DType dtype : {f32, f64}) {
    const Values u = values(rand({n}, dtype));
    CHECK(std::all_of(u.begin(), u.end(), [](double x) { return x >= 0 && x < 1; }));
    CHECK(mean(u) == doctest::Approx(0.5).epsilon(0.01));
    const Values z = values(randn({n}, dtype));
    double square = 0, fourth = 0;
    for (double x : z) square += x * x, fourth += x * x * x * x;
    CHECK(std::abs(mean(z)) < 0.015);
    CHECK(square / n == doctest::Approx(1).epsilon(0.02));
    CHECK(fourth / n == doctest::Approx(3).epsilon(0.05));
  }
  std::vector<int> counts(5);
  for (double x : values(randint(-2, 3, {n}))) ++counts.at(static_cast<size_t>(x + 2));
  for (int c : counts) CHECK(c == doctest::Approx(n / 5).epsilon(0.03));
  CHECK_THROWS_AS((void)randint(3, 3, {1}), IndexError);
  const int64_t f32_exact = 1 << 24, f64_exact = int64_t{1} << 53;
  // 2^24 + 3 would round to the bound
  CHECK_THROWS_AS((void)randint(f32_exact + 2, f32_exact + 4, {9}, f32), DTypeError);
  CHECK_THROWS_AS((void)randint(-f32_exact - 1, 0, {9}, f32), DTypeError);
  CHECK_THROWS_AS((void)randint(0, 258, {9}, bf16), DTypeError);
  CHECK(randint(0, 257, {9}, bf16).dtype() == bf16);
  CHECK_THROWS_AS((void)randint(0, f64_exact + 2, {9}, f64), DTypeError);
  CHECK(randint(f32_exact, f32_exact + 1, {}, f32).item() == static_cast<double>(f32_exact));
  CHECK(randint(INT64_MAX - 1, INT64_MAX, {}).item<int64_t>() == INT64_MAX - 1);
  Values p = values(randperm(50));
  CHECK(p != values(arange(50)));
  std::sort(p.begin(), p.end());
  CHECK(p == values(arange(50)));
  CHECK(randperm(0).numel() == 0);
  CHECK(mean(values(bernoulli(full({n}, 0.2)))) == doctest::Approx(0.2).epsilon(0.03));
  CHECK(values(bernoulli(tensor({0.0, 1.0}))) == Values{0, 1});
  CHECK_THROWS_AS((void)bernoulli(tensor({1.5})), InputError);
  CHECK_THROWS_AS((void)rand({2}, i64), DTypeError);
}

TEST_CASE("factories: _like takes shape and dtype of another") {
  for (DType dtype : {f32, f64}) {
    const Tensor x = full({2, 3}, 7, dtype);
    for (const Tensor& y :
         {zeros_like(x), ones_like(x), full_like(x, 2), empty_like(x), rand_like(x), randn_like(x),
          randint_like(x, 0, 5), bernoulli_like(x, 0.5)}) {
      CHECK(y.shape() == x.shape());
      CHECK(y.dtype() == dtype);
    }
    CHECK(values(randint_like(x, 4, 5)) == Values(6, 4));
    CHECK(values(bernoulli_like(x, 1)) == Values(6, 1));
  }
  CHECK(ones_like(tensor({true, false})).dtype() == boolean);
  CHECK_THROWS_AS((void)randint_like(tensor({true}), 0, 1), DTypeError);
}
