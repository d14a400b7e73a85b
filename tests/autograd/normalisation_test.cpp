#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/tests/autograd/same_bits.h>

#include <cmath>

using namespace slope;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

TEST_CASE(
    "softmax: large values stay finite, a row of -infinity is nan, an infinite score is nan") {
  const Tensor y = softmax(tensor({{1e38, 1e38, -1e38},
                                   {-infinity, 0.0, 0.0},
                                   {-infinity, -infinity, -infinity},
                                   {infinity, 0.0, 0.0}}));
  const std::vector<double> v = y.to_vector();
  CHECK(v[0] == 0.5);
  CHECK(v[2] == 0);
  CHECK(v[3] == 0);
  CHECK(v[4] == 0.5);
  for (size_t i : {6, 7, 8, 9}) CHECK(std::isnan(v[i]));
  const std::vector<double> l =
      log_softmax(tensor({{1e38, 1e38, -1e38}, {-infinity, 0.0, 0.0}})).to_vector();
  CHECK(l[0] == doctest::Approx(-std::log(2.0)));
  CHECK(l[3] == -infinity);
}

TEST_CASE("softmax: a dim in the middle is the same as that dim moved to the end") {
  generator() = Generator{.seed = 1};
  const Tensor x = randn({3, 5, 4}, f64);
  CHECK(same_bits(softmax(x, 1), softmax(x.transpose(1, 2), -1).transpose(1, 2)));
  CHECK(same_bits(log_softmax(x, 0), log_softmax(x.transpose(0, 2), 2).transpose(0, 2)));
  CHECK(softmax(x, 1).is_contiguous());
}

TEST_CASE(
    "layer_norm: a constant row gives the bias, also at 1e30, and takes no gradient from it") {
  for (double value : {0.0, 3.0, 1e30, -1e30}) {
    const Tensor x = full({2, 7}, value).set_requires_grad(), w = full({7}, 2), b = full({7}, 0.25);
    const Tensor y = layer_norm(x, w, b);
    for (double v : y.to_vector()) CHECK(v == 0.25);
    y.sum().backward();
    for (double v : x.grad().to_vector()) CHECK(std::isfinite(v));
  }
}

TEST_CASE("layer_norm: far from zero it keeps the digits that x has") {
  const Tensor near = tensor({{0.0, 1.0, 2.0, 4.0}}),
               far = tensor({{10000.0, 10001.0, 10002.0, 10004.0}});
  const std::vector<double> a = layer_norm(near, {}, {}).to_vector(),
                            b = layer_norm(far, {}, {}).to_vector();
  for (size_t i = 0; i < 4; ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-6));
}

TEST_CASE(
    "normalisation: a row of a million f32 elements keeps its digits, and so does its gradient") {
  const int64_t n = 1 << 20;
  // a lane of a sum gets equal addends
  const auto row = [&](const Literal& four) {
    return tensor(four).expand({n / 4, 4}).reshape({1, n});
  };
  const Tensor numbers = row({1.0488, -1.0488, 1.0488, -1.0488}),
               weights = row({1.0488, 0.3, 1.9, 0.3});
  for (const auto f : {+[](const Tensor& x) { return layer_norm(x, {}, {}); },
                       +[](const Tensor& x) { return rms_norm(x, {}); },
                       +[](const Tensor& x) { return softmax(x); },
                       +[](const Tensor& x) { return log_softmax(x); }}) {
    const auto result = [&](DType dtype) {
      const Tensor x = contiguous_copy(numbers, dtype).set_requires_grad(), y = f(x);
      return Tensors{y.detach(), grad({sum(y * contiguous_copy(weights, dtype))}, {x})[0]};
    };
    const Tensors y = result(f32), expected = result(f64);
    for (size_t i = 0; i < 2; ++i)
      CHECK(amax(abs(to(y[i], f64) - expected[i])).item() < 5e-5 * amax(abs(expected[i])).item());
  }
}

TEST_CASE("normalisation: the same bits for 1, 2, 3 and 7 threads, forward and backward") {
  generator() = Generator{.seed = 2};
  const Tensor x = randn({700, 67}).set_requires_grad(), w = randn({67}).set_requires_grad(),
               b = randn({67}).set_requires_grad(), u = randn({700, 67});
  CHECK(same_for_all_threads([&] {
    Tensors all;
    for (const Tensor& y : {softmax(x), log_softmax(x), softmax(x, 0), layer_norm(x, w, b),
                            rms_norm(x, w), dropout(x, 0.3)}) {
      all.push_back(y);
      for (const Tensor& g : grad({y}, {x, w, b}, {.grad_outputs = {u}, .allow_unused = true}))
        if (g.defined()) all.push_back(g);
    }
    return all;
  }));
}

TEST_CASE(
    "normalisation: beside a residual connection x is given the sum of both gradients, to the bit, "
    "and nothing else changes") {
  generator() = Generator{.seed = 7};
  const Tensor x = randn({70, 33}).set_requires_grad(), w = randn({33}).set_requires_grad(),
               b = randn({33}).set_requires_grad(), u = randn({70, 33}), before = clone(u);
  const auto norms = {
      +[](const Tensor& h, const Tensor& w, const Tensor& b) { return layer_norm(h, w, b); },
      +[](const Tensor& h, const Tensor& w, const Tensor&) { return rms_norm(h, w); }};
  for (const auto norm : norms) {
    const Tensors alone = grad({norm(x, w, b)}, {x, w}, {.grad_outputs = {u}});
    const Tensor h = x * 1;
    for (const Tensor& base : {x, h}) {  // a leaf, and what an operation made
      const Tensors both = grad({base + norm(base, w, b)}, {x, w}, {.grad_outputs = {u}});
      CHECK(same_bits(both[0], u + alone[0]));
      CHECK(same_bits(both[1], alone[1]));
      CHECK(same_bits(u, before));
    }
  }
}

TEST_CASE("dropout: p = 0 and evaluation return x itself and draw nothing; p = 1 gives zeros") {
  generator() = Generator{.seed = 3};
  const Tensor x = tensor({1.0, infinity, -2.0}).set_requires_grad();
  CHECK(dropout(x, 0).is_same(x));
  CHECK(dropout(x, 0.5, false).is_same(x));
  CHECK(generator() == Generator{.seed = 3});
  const Tensor y = dropout(x, 1);
  CHECK(y.to_vector() == std::vector<double>{0, 0, 0});
  y.sum().backward();
  CHECK(x.grad().to_vector() == std::vector<double>{0, 0, 0});
}

TEST_CASE("dropout: a share of 1 - p is kept and scaled; backward keeps the same elements") {
  generator() = Generator{.seed = 4};
  const int64_t n = 200000;
  for (double p : {0.1, 0.5, 0.9}) {
    const Tensor x = ones({n}, f64).set_requires_grad();
    const Tensor y = dropout(x, p);
    y.sum().backward();
    CHECK(same_bits(x.grad(), y));
    int64_t kept = 0;
    bool scaled = true;
    for (double v : y.to_vector()) {
      kept += v != 0;
      scaled = scaled && (v == 0 || v == 1 / (1 - p));
    }
    CHECK(scaled);
    CHECK(std::abs(static_cast<double>(kept) / static_cast<double>(n) - (1 - p)) <
          5 * std::sqrt(p * (1 - p) / static_cast<double>(n)));
  }
}

TEST_CASE("dropout: each draw is another one, and a draw is a function of seed and site alone") {
  const Tensor x = ones({1000});
  generator() = Generator{.seed = 5};
  const Tensor a = dropout(x, 0.5), b = dropout(x, 0.5);
  CHECK(!same_bits(a, b));
  generator() = Generator{.seed = 5};
  CHECK(same_bits(dropout(x, 0.5), a));
  generator() = Generator{.seed = 6};
  CHECK(!same_bits(dropout(x, 0.5), a));
}

TEST_CASE("dropout: element i takes word i % 64 / 16 of Philox block 16 (i / 64) + i % 16") {
  generator() =
      Generator{.seed = 0x123456789abcdef, .site = 7, .step = 9, .stream = 3, .micro_batch = 2};
  RandomSite site = Generator(generator()).next_site();
  const std::vector<double> y = dropout(ones({333}), 0.5).to_vector();
  for (int64_t i = 0; i < 333; ++i) {
    const uint32_t bits = Philox::block(site.counter(16 * (i / 64) + i % 16),
                                        site.key())[static_cast<size_t>(i % 64 / 16)];
    CHECK((y[static_cast<size_t>(i)] != 0) == (bits >= 0x80000000u));
  }
}
