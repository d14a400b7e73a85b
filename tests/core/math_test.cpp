// The float functions of core/kernels/math.h against double, over floats of every size, and their
// vector body against their scalar tail.
#include <slope/core/kernels/elementwise/elementwise.h>
#include <slope/tests/sanitized.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace slope;

namespace {

// Distance in units of the last place of the float nearest to `exact`; denormals
// count the smallest one. A 0 of the wrong sign is wrong.
double ulps(float value, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(value) ? 0 : 1e30;
  if (value == rounded) return std::signbit(value) == std::signbit(rounded) ? 0 : 1e30;
  if (!std::isfinite(value) || !std::isfinite(rounded)) return 1e30;
  const double unit =
      std::ldexp(1.0, std::max(std::ilogb(rounded == 0 ? 1e-45f : rounded), -126) - 23);
  return std::abs(static_cast<double>(value) - exact) / unit;
}

struct Worst {
  double ulps = 0;
  float x = 0;
};

// Every `stride`-th float of both signs, infinities and nans included.
template <class Row>
Worst worst_error(const Unary<float>& group, double (*exact)(double), double low, double high,
                  uint32_t stride = test::slow ? 50021 : 1009) {
  Worst worst;
  std::vector<float> x, y(4096);
  const auto flush = [&] {
    group.rows[unary_index<Row>].forward(static_cast<int64_t>(x.size()), x.data(), 1, y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(y[i], exact(x[i]));
      if (error > worst.ulps) worst = {error, x[i]};
    }
    x.clear();
  };
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += stride) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (value < low || value > high) continue;
    x.push_back(value);
    if (x.size() == y.size()) flush();
  }
  for (float special : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY,
                        std::numeric_limits<float>::quiet_NaN(), 1e-45f, -1e-45f, 1.17549435e-38f})
    if (!(special < low || special > high)) x.push_back(special);
  flush();
  return worst;
}

double sigmoid_exact(double x) { return 1 / (1 + std::exp(-x)); }
double softplus_exact(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double silu_exact(double x) { return x == -INFINITY ? NAN : x / (1 + std::exp(-x)); }

void check_errors(const Unary<float>& group) {
  const auto check = [&](const char* name, Worst worst, double bound = 2) {
    INFO(name, " at x = ", worst.x);
    CHECK(worst.ulps <= bound);
  };
  const double all = INFINITY;
  check("exp", worst_error<Exp>(group, std::exp, -all, all));
  check("expm1", worst_error<Expm1>(group, std::expm1, -all, all));
  check("log", worst_error<Log>(group, std::log, -all, all));
  check("log1p", worst_error<Log1p>(group, std::log1p, -all, all));
  check("tanh", worst_error<Tanh>(group, std::tanh, -all, all));
  check("erf", worst_error<Erf>(group, std::erf, -all, all));
  check("sin", worst_error<Sin>(group, std::sin, -all, all));
  check("cos", worst_error<Cos>(group, std::cos, -all, all));
  check("sigmoid", worst_error<Sigmoid>(group, sigmoid_exact, -88, all),
        2.5);  // below, e^-x is infinite and the result 0 where it is less than 1e-38
  check("silu", worst_error<Silu>(group, silu_exact, -88, all), 2.5);
  check("softplus", worst_error<Softplus>(group, softplus_exact, -all, all));
}

}  // namespace

TEST_CASE(
    "math: float functions are within 2 units of the last place of double, sigmoid and silu within "
    "2.5, with and without fused "
    "multiply-add") {
  check_errors(kernels<Unary<float>>());
  check_errors(variant<Unary<float>, Isa::portable>());
}

TEST_CASE("math: gelu is within 4e-7 of double, and 0 or x beyond 14") {
  std::vector<float> x, y(2001);
  for (int i = -1000; i <= 1000; ++i) x.push_back(static_cast<float>(i) / 64);
  for (const Unary<float>& group :
       {kernels<Unary<float>>(), variant<Unary<float>, Isa::portable>()}) {
    group.rows[unary_index<GeluErf>].forward(2001, x.data(), 1, y.data());
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = x[i] * 0.5 * std::erfc(-x[i] / std::numbers::sqrt2);
      worst = std::max(worst, std::abs(y[i] - exact) / std::max(1.0, std::abs(exact)));
      if (std::abs(x[i]) > 14) CHECK(y[i] == (x[i] < 0 ? 0 : x[i]));
    }
    CHECK(worst < 4e-7);
  }
}

TEST_CASE(
    "math: a value depends on its argument alone, not on its place in a loop or on its step") {
  std::vector<float> x;
  for (int i = 0; i < 131; ++i)
    x.push_back(std::sin(static_cast<float>(i)) * static_cast<float>(i % 17) * 1.7f);
  const auto check = [&](const UnaryLoops<float>& loops) {
    std::vector<float> whole(x.size()), part(x.size()), wide(3 * x.size());
    const auto n = static_cast<int64_t>(x.size());
    loops.forward(n, x.data(), 1, whole.data());
    for (int64_t cut : {1, 2, 3, 5, 8, 13, 21, 64, 100}) {
      loops.forward(cut, x.data(), 1, part.data());
      loops.forward(n - cut, x.data() + cut, 1, part.data() + cut);
      CHECK(std::memcmp(whole.data(), part.data(), x.size() * sizeof(float)) == 0);
    }
    for (size_t i = 0; i < x.size(); ++i) wide[3 * i] = x[i];
    loops.forward(n, wide.data(), 3, part.data());
    CHECK(std::memcmp(whole.data(), part.data(), x.size() * sizeof(float)) == 0);
    loops.backward(n, x.data(), 1, x.data(), 1, whole.data());
    loops.backward(n, wide.data(), 3, wide.data(), 3, part.data());
    CHECK(std::memcmp(whole.data(), part.data(), x.size() * sizeof(float)) == 0);
  };
  for (const auto& loops : kernels<Unary<float>>().rows) check(loops);
}
