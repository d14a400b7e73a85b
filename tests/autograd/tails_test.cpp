// Digits that a formula loses where it subtracts nearly equal numbers: derivatives in the tails of
// functions, means that are large beside the deviations, norms that overflow.
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

using namespace slope;

namespace {

using Map = std::function<Tensor(const Tensor&)>;
using Row = std::vector<double>;

void check_digits(const char* what, const Row& got, const Row& right, double tolerance) {
  CAPTURE(what);
  REQUIRE(got.size() == right.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CAPTURE(got[i]);
    CAPTURE(right[i]);
    CHECK((got[i] == right[i] || std::abs(got[i] - right[i]) <= tolerance * std::abs(right[i])));
  }
}

struct Derivatives {
  Row by_kernel, by_formula, second;  // the first by kernel and formula; d/dx of the first's sum
};
Derivatives derivatives_in_tail(const Map& f, const Row& at, DType dtype = f32) {
  const Tensor x =
      to(from_vector(at, {static_cast<int64_t>(at.size())}), dtype).set_requires_grad();
  const Tensor dx = grad({sum(f(x))}, {x}, {.create_graph = true})[0];
  return {grad({sum(f(x))}, {x})[0].to_vector(), dx.detach().to_vector(),
          grad({sum(dx)}, {x})[0].to_vector()};
}
void check_tail(const char* what, const Map& f, const Row& at, const Row& first, const Row& second,
                double tolerance = 1e-5) {
  CAPTURE(what);
  const Derivatives d = derivatives_in_tail(f, at);
  check_digits("kernel", d.by_kernel, first, tolerance);
  check_digits("formula", d.by_formula, first, tolerance);
  check_digits("second", d.second, second, tolerance);
}

double logistic_at(double x) { return 1 / (1 + std::exp(-x)); }
double bell_at(double x) { return logistic_at(x) * logistic_at(-x); }

}  // namespace

TEST_CASE("tails: derivatives keep their digits where a function is nearly constant or straight") {
  const Row at{-20, -5, 5, 15, 20};
  Row e, s, bell, flipped, silu_1, silu_2;
  for (const double x : at) {
    const double p = logistic_at(x), q = logistic_at(-x);
    e.push_back(std::exp(x)), s.push_back(p), bell.push_back(p * q);
    flipped.push_back(q);
    silu_1.push_back(p * (1 + x * q)), silu_2.push_back(p * q * (2 + x * (q - p)));
  }
  Row minus_bell;
  for (const double b : bell) minus_bell.push_back(-b);
  check_tail(
      "expm1", [](const Tensor& x) { return expm1(x); }, at, e, e);
  check_tail(
      "softplus", [](const Tensor& x) { return softplus(x); }, at, s, bell);
  check_tail("logsigmoid", nn::logsigmoid, at, flipped, minus_bell);
  check_tail(
      "silu", [](const Tensor& x) { return silu(x); }, at, silu_1, silu_2);
}

TEST_CASE("tails: gelu's kernel and formula agree with the exact derivative") {
  for (const double x : {-10.0, -8.5, -5.0, 5.0}) {
    const double phi = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi),
                 cdf = std::erfc(-x / std::numbers::sqrt2) / 2;
    check_tail(
        "gelu", [](const Tensor& x) { return gelu(x); }, {x}, {cdf + x * phi}, {phi * (2 - x * x)},
        2e-5);
  }
  for (const double x : {-5.0, 5.0}) {
    const double k = 2 * std::sqrt(2 / std::numbers::pi), c = 0.044715, u = k * (x + c * x * x * x),
                 du = k * (1 + 3 * c * x * x), ddu = k * 6 * c * x;
    check_tail(
        "gelu_tanh", [](const Tensor& x) { return gelu_tanh(x); }, {x},
        {logistic_at(u) + x * bell_at(u) * du},
        {bell_at(u) * (2 * du + x * ddu + x * du * du * (logistic_at(-u) - logistic_at(u)))}, 2e-5);
    check_digits("value", gelu_tanh(tensor({x}, f32)).to_vector(), {x * logistic_at(u)}, 2e-5);
  }
}

TEST_CASE("tails: the second derivative of a power whose first overflows has its sign") {
  const double tiny = 1e-45;
  CHECK(derivatives_in_tail([](const Tensor& x) { return pow(x, 0.1); }, {tiny}).second[0] ==
        -INFINITY);
  CHECK(derivatives_in_tail([](const Tensor& x) { return pow(x, full({1}, 0.1)); }, {tiny})
            .second[0] == -INFINITY);
  CHECK(derivatives_in_tail([](const Tensor& x) { return pow(x, -0.1); }, {tiny}).second[0] ==
        INFINITY);
}

TEST_CASE("tails: a norm that overflows has the derivative of its direction") {
  for (const double p : {1.5, 2.0, 2.5, 3.0, 4.0}) {
    const double each = std::pow(2, 1 / p - 1);
    const Derivatives d =
        derivatives_in_tail([=](const Tensor& x) { return norm(x, p); }, {3e38, -3e38});
    check_digits("kernel", d.by_kernel, {each, -each}, 1e-5);
    check_digits("formula", d.by_formula, {each, -each}, 1e-5);
    CHECK(std::isfinite(d.second[0]));
  }
  // a row that does not overflow beside one that does
  const Tensor x = tensor({{3e38f, 3e38f}, {3.0f, 4.0f}}).set_requires_grad();
  check_digits("rows", grad({sum(norm(x, 2, {1}))}, {x})[0].to_vector(),
               {std::sqrt(0.5), std::sqrt(0.5), 0.6, 0.8}, 1e-5);
}

TEST_CASE("tails: deviations from a mean that is not itself a number of the dtype") {
  for (const double m : {1e4, 1e7, 1.6e7}) {
    const float low = static_cast<float>(m), high = std::nextafter(low, INFINITY);
    const double half = (static_cast<double>(high) - static_cast<double>(low)) / 2;
    const Row at{static_cast<double>(low), static_cast<double>(high)};
    const Tensor x = tensor({low, high}), w = tensor({1.0f, 2.0f});
    const double r = 1 / std::sqrt(half * half + 1e-5), z = half * r;
    CAPTURE(m);
    check_digits("layer_norm", layer_norm(x, w, {}).to_vector(), {-z, 2 * z}, 1e-5);
    check_digits("var", slope::var(x).to_vector(), {2 * half * half}, 1e-5);
    check_digits("std", slope::std(x).to_vector(), {half * std::numbers::sqrt2}, 1e-5);
    const Derivatives d =
        derivatives_in_tail([&](const Tensor& x) { return layer_norm(x, w, {}); }, at);
    // h = (1, 2), z = (-z, z): dx = r (h - 1.5 - z mean(h z))
    const double dx = r * (0.5 - z * z / 2);
    check_digits("dx", d.by_kernel, {-dx, dx}, 5e-3);  // a small difference of large terms
    check_digits("dx", d.by_formula, {-dx, dx}, 5e-3);
    const Derivatives v = derivatives_in_tail([](const Tensor& x) { return slope::var(x); }, at);
    check_digits("dvar", v.by_kernel, {-2 * half, 2 * half}, 1e-5);
    check_digits("dvar", v.by_formula, {-2 * half, 2 * half}, 1e-5);
    const Derivatives s = derivatives_in_tail([](const Tensor& x) { return slope::std(x); }, at);
    check_digits("dstd", s.by_kernel, {-std::sqrt(0.5), std::sqrt(0.5)}, 1e-5);
    check_digits("dstd", s.by_formula, {-std::sqrt(0.5), std::sqrt(0.5)}, 1e-5);
  }
}
