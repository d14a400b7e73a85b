#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/ops.h>
#include <slope/core/memory/memory.h>
#include <slope/tests/autograd/same_bits.h>

#include <cmath>

using namespace slope;

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

Tensor classes(int64_t n, int64_t C, int64_t seed) {
  generator() = Generator{.seed = static_cast<uint64_t>(seed)};
  return randint(0, C, {n});
}

double largest_gap(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  double largest = 0, scale = 1e-30;
  for (size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::isnan(x[i] - y[i]) ? 1e300 : std::abs(x[i] - y[i]));
    scale = std::max(scale, std::abs(y[i]));
  }
  return largest / scale;
}

}  // namespace

TEST_CASE("cross_entropy: a target outside is refused with its position") {
  CHECK_THROWS_WITH_AS((void)cross_entropy(zeros({5, 5}), tensor({1, 2, 0, 7, 9})),
                       "cross_entropy: target 7 at position 3 is outside [0, 5)", IndexError);
  CHECK_THROWS_AS((void)cross_entropy(zeros({1, 5}), tensor({-1})), IndexError);
  CHECK_NOTHROW((void)cross_entropy(zeros({1, 5}), tensor({-100})));
}

TEST_CASE(
    "cross_entropy: where all targets are ignored the mean is undefined, the sum 0, and the "
    "gradient 0") {
  const Tensor x = tensor({{1.0, undefined}, {2.0, 3.0}}).set_requires_grad(),
               t = tensor({-100, -100});
  CHECK(std::isnan(cross_entropy(x, t).item()));
  const auto [sum, count] = cross_entropy_sum(x, t);
  CHECK(sum.item() == 0);
  CHECK(count == 0);
  for (Reduction reduction : {Reduction::mean, Reduction::sum})
    CHECK(grad({cross_entropy(x, t, {.reduction = reduction})}, {x})[0].to_vector() ==
          std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("cross_entropy: an ignored row is never read") {
  const Tensor x = tensor({{undefined, undefined}, {2.0, 3.0}}).set_requires_grad(),
               t = tensor({0, 1});
  const Tensor loss = cross_entropy(x, t, {.ignore_index = 0});
  CHECK(loss.item() == doctest::Approx(std::log1p(std::exp(-1.0))));
  const std::vector<double> dx = grad({loss}, {x})[0].to_vector();
  CHECK(dx[0] == 0);
  CHECK(dx[1] == 0);
  CHECK(dx[3] == doctest::Approx(1 / (1 + std::exp(-1.0)) - 1));
}

TEST_CASE("cross_entropy: over a million classes the loss of f32 logits keeps its digits") {
  const int64_t n = 1 << 20;
  const Tensor x = tensor({1.0488, -1.0488}).expand({n / 2, 2}).reshape({1, n}), t = tensor({1});
  const CrossEntropyOptions smoothed{.label_smoothing = 0.1};
  const double expected = cross_entropy(to(x, f64), t, smoothed).item();
  CHECK(std::abs(cross_entropy(x, t, smoothed).item() - expected) < 2e-5);
  const Tensor w = x.reshape({n, 1}).clone().set_requires_grad();
  CHECK(std::abs(linear_cross_entropy(ones({1, 1}), w, {}, t, smoothed).item() - expected) < 2e-5);
}

TEST_CASE("cross_entropy: logits of 1e38") {
  const Tensor x = tensor({{1e38, 1e38, -1e38}}).set_requires_grad();
  const Tensor loss = cross_entropy(x, tensor({0}));
  CHECK(loss.item() == doctest::Approx(std::log(2.0)));
  CHECK(grad({loss}, {x})[0].to_vector() == std::vector<double>{-0.5, 0.5, 0});
  CHECK(std::isfinite(cross_entropy(x, tensor({2}), {.label_smoothing = 0.1}).item()));
}

TEST_CASE("cross_entropy: equals log_softmax and nll_loss") {
  generator() = Generator{.seed = 1};
  for (const auto& [dtype, tolerance] : {std::pair{f64, 1e-12}, {f32, 1e-5}}) {
    const Tensor x = randn({64, 300}, dtype).set_requires_grad(), t = classes(64, 300, 2),
                 u = randn({64}, dtype);
    for (Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
      const CrossEntropyOptions options{
          .ignore_index = t.to_vector()[5] == 0 ? 1 : static_cast<int64_t>(t.to_vector()[5]),
          .reduction = reduction};
      const Tensor a = cross_entropy(x, t, options), b = nll_loss(log_softmax(x), t, options);
      CHECK(largest_gap(a, b) < tolerance);
      const Tensor g = reduction == Reduction::none ? u : full({}, 0.7, dtype);
      CHECK(largest_gap(grad({a}, {x}, {.grad_outputs = {g}})[0],
                        grad({b}, {x}, {.grad_outputs = {g}})[0]) < tolerance);
    }
  }
}

TEST_CASE(
    "linear_cross_entropy: equals cross_entropy of linear, over several chunks, and the logits "
    "never exist whole") {
  generator() = Generator{.seed = 3};
  const int64_t N = 700, d = 24, V = 6000;
  for (const auto& [dtype, tolerance] : {std::pair{f64, 1e-12}, {f32, 1e-5}}) {
    const Tensor x = randn({N, d}, dtype).set_requires_grad(),
                 w = (randn({V, d}, dtype) * 0.3).detach().set_requires_grad(),
                 b = randn({V}, dtype).set_requires_grad();
    const Tensor t = classes(N, V, 4), u = randn({N}, dtype);
    for (Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
      const CrossEntropyOptions options{.ignore_index = static_cast<int64_t>(t.to_vector()[9]),
                                        .label_smoothing = 0.1,
                                        .reduction = reduction};
      const Tensor g = reduction == Reduction::none ? u : full({}, 0.7, dtype);
      const Tensor whole = cross_entropy(linear(x, w, b), t, options);
      const Tensors expected = grad({whole}, {x, w, b}, {.grad_outputs = {g}});
      memory::reset_peak();
      const int64_t before = memory::stats().live;
      const Tensor chunked = linear_cross_entropy(x, w, b, t, options);
      const Tensors found = grad({chunked}, {x, w, b}, {.grad_outputs = {g}});
      if (dtype == f32) CHECK(memory::stats().peak - before < N * V * 4 * 3 / 4);
      CHECK(largest_gap(chunked, whole) < tolerance);
      for (size_t i = 0; i < 3; ++i) CHECK(largest_gap(found[i], expected[i]) < tolerance);
    }
  }
}

TEST_CASE("linear_cross_entropy: an ignored row is never read; without a gradient none is made") {
  const Tensor w = tensor({{1.0, 0.0}, {0.0, 1.0}}).set_requires_grad(),
               x = tensor({{undefined, 1.0}, {2.0, 3.0}}).set_requires_grad();
  const Tensor loss = linear_cross_entropy(x, w, {}, tensor({0, 1}), {.ignore_index = 0});
  CHECK(loss.item() == doctest::Approx(std::log1p(std::exp(-1.0))));
  for (const Tensor& g : grad({loss}, {x, w}))
    for (double v : g.to_vector()) CHECK(std::isfinite(v));
  const Tensor plain =
      linear_cross_entropy(x.detach(), w.detach(), {}, tensor({0, 1}), {.ignore_index = 0});
  CHECK(!plain.requires_grad());
  CHECK(same_bits(plain, loss));
}

TEST_CASE(
    "linear_cross_entropy: an ignored row takes no gradient, even if that of the loss is inf") {
  const Tensor x = ones({2, 2}).set_requires_grad(), w = ones({3, 2}).set_requires_grad(),
               b = zeros({3}).set_requires_grad();
  for (const Reduction reduction : {Reduction::mean, Reduction::sum})
    for (const double g : {double{INFINITY}, undefined}) {
      const auto gradients = [&](const Tensor& t) {
        return grad({linear_cross_entropy(x, w, b, t, {.reduction = reduction})}, {x, w, b},
                    {.grad_outputs = {full({}, g)}});
      };
      for (const Tensor& d : gradients(tensor({-100, -100})))
        for (const double v : d.to_vector()) CHECK(v == 0);
      const std::vector<double> dx = gradients(tensor({-100, 0}))[0].to_vector();
      CHECK(dx[0] == 0);
      CHECK(dx[1] == 0);
      CHECK(!std::isfinite(dx[2]));
    }
}

TEST_CASE("linear_cross_entropy: half a million rows of two classes, the bias's gradient") {
  const int64_t N = 1 << 19;
  const Tensor b = tensor({0.0, 1.0}).set_requires_grad();
  linear_cross_entropy(zeros({N, 1}), zeros({2, 1}), b, zeros({N}, i64),
                       {.reduction = Reduction::sum})
      .backward();
  const double expected = static_cast<double>(N) / (1 + std::exp(-1.0));
  const std::vector<double> db = b.grad().to_vector();
  CHECK(db[0] == doctest::Approx(-expected).epsilon(2e-5));
  CHECK(db[1] == doctest::Approx(expected).epsilon(2e-5));
}

TEST_CASE("losses: take only f32 and f64") {
  for (const auto& [dtype, message] :
       {std::pair{i64, "nll_loss: needs float32 or float64, got int64"},
        {boolean, "nll_loss: needs float32 or float64, got bool"},
        {bf16, "nll_loss: needs float32 or float64, got bfloat16; convert it with to(f32)"}})
    CHECK_THROWS_WITH_AS((void)nll_loss(zeros({1, 2}).to(dtype), tensor({0})), message, DTypeError);
  CHECK_THROWS_WITH_AS((void)mse_loss(zeros({2}).to(bf16), zeros({2}).to(bf16)),
                       "mse_loss: the tensors must be both float32 or both float64, got bfloat16 "
                       "and bfloat16",
                       DTypeError);
}

TEST_CASE("losses: the same bits for 1, 2, 3 and 7 threads") {
  generator() = Generator{.seed = 5};
  const Tensor x = randn({400, 33}).set_requires_grad(), w = randn({700, 33}).set_requires_grad(),
               b = randn({700}).set_requires_grad(), t = classes(400, 700, 6);
  CHECK(same_for_all_threads([&] {
    const Tensor a = linear_cross_entropy(x, w, b, t), c = cross_entropy(linear(x, w, b), t);
    Tensors all{a, c};
    for (const Tensor& loss : {a, c})
      for (const Tensor& g : grad({loss}, {x, w, b})) all.push_back(g);
    return all;
  }));
}

TEST_CASE("losses: composites have first and second derivatives") {
  generator() = Generator{.seed = 7};
  const auto fresh = [](Tensor x) { return x.detach().set_requires_grad(); };
  for (Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    const auto holds = [](const TensorFunction& f, const Tensors& x) {
      CHECK(gradcheck(f, x).ok);
      CHECK(gradgradcheck(f, x).ok);
    };
    const Tensor x = fresh(randn({3, 4}, f64)), y = fresh(randn({3, 4}, f64)),
                 p = fresh(rand({3, 4}, f64) + 0.2);
    holds([=](const Tensors& v) { return Tensors{mse_loss(v[0], v[1], reduction)}; }, {x, y});
    holds([=](const Tensors& v) { return Tensors{bce_with_logits(v[0], v[1], reduction)}; },
          {x, p});
    holds([=](const Tensors& v) { return Tensors{kl_div(v[0], v[1], reduction)}; }, {x, p});
    holds(
        [=](const Tensors& v) {
          return Tensors{
              nll_loss(v[0], tensor({2, 0, 1}), {.ignore_index = 0, .reduction = reduction})};
        },
        {x});
  }
}

TEST_CASE("losses: edges of the domain") {
  CHECK(kl_div(tensor({{-1.0, -2.0}}), tensor({{1.0, 0.0}}), Reduction::none).to_vector() ==
        std::vector<double>{1, 0});
  const Tensor logits = tensor({1000.0, -1000.0, 1000.0, -1000.0});
  CHECK(bce_with_logits(logits, tensor({1.0, 1.0, 0.0, 0.0}), Reduction::none).to_vector() ==
        std::vector<double>{0, 1000, 1000, 0});
  for (const bool connected : {false, true}) {  // the kernel, the formula
    const Tensor x = tensor({-20.0, 20.0, -88.0, -INFINITY, INFINITY}).set_requires_grad(),
                 t = tensor({0.0, 1.0, 0.0, 0.0, 1.0}),
                 loss = bce_with_logits(x, t, Reduction::none),
                 slope = grad({sum(loss)}, {x}, {.create_graph = connected})[0];
    const double small = std::exp(-20.0), smaller = std::exp(-88.0);
    const std::vector<double> values = loss.to_vector(), slopes = slope.to_vector(),
                              expected = {small, small, smaller, 0, 0},
                              of_slopes = {small, -small, smaller, 0, 0};
    for (size_t i = 0; i < values.size(); ++i) {
      CHECK(std::abs(values[i] - expected[i]) <= 1e-6 * expected[i]);
      CHECK(std::abs(slopes[i] - of_slopes[i]) <= 1e-6 * std::abs(of_slopes[i]));
    }
  }
  CHECK(std::isnan(mse_loss(zeros({0}), zeros({0})).item()));
  CHECK(mse_loss(zeros({0}), zeros({0}), Reduction::sum).item() == 0);
}
