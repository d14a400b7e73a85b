// Derivatives by differences: smooth points, kinks, rounding and the edge of a domain.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/numeric/differences.h>

#include <cmath>
#include <functional>

using namespace slope;
using Kind = Derivative::Kind;

namespace {

constexpr Tolerance tolerance{1e-5, 1e-3};

template <class F>
Derivative at(double x, const F& f, double expected = NAN) {
  return differentiate(
      [&](double step) {
        const double moved = (x + step) - x;
        return LossAt{moved, f(x + moved), std::abs(f(x + moved))};
      },
      x, 1e-6, tolerance, expected);
}

float rounded(double x) { return static_cast<float>(x); }

}  // namespace

TEST_CASE("differences: smooth functions, flat, steep, large") {
  const auto agrees = [](const Derivative& d, double expected) {
    CHECK(d.kind == Kind::smooth);
    CHECK(std::abs(d.value - expected) <= d.error + 1e-9 * std::abs(expected));
    CHECK(d.error < 1e-5 * std::abs(expected) + 1e-8);
  };
  agrees(at(0.3, [](double x) { return std::sin(x); }), std::cos(0.3));
  agrees(at(1e-3, [](double x) { return std::sqrt(x); }), 0.5 / std::sqrt(1e-3));
  agrees(at(2e-5, [](double x) { return std::log(x); }), 1 / 2e-5);
  agrees(at(1e6, [](double x) { return x * x; }), 2e6);
  agrees(at(0.5, [](double x) { return std::exp(20 * x); }), 20 * std::exp(10));
  agrees(at(0.5, [](double) { return 3.0; }), 0);
}

TEST_CASE("differences: a constant may be a float32 whose steps are larger") {
  const Derivative d = at(0.01, [](double x) { return double{rounded(5000 + 5e-4 * x)}; });
  CHECK(d.value == 0);
  CHECK(d.agrees(5e-4, tolerance));
  CHECK(!d.agrees(0.05, tolerance));
  CHECK(at(0.5, [](double) { return 3.0; }).hidden < tolerance.atol);
}

TEST_CASE("differences: kinks, with the derivative from either side") {
  for (const double near : {0.0, 1e-13, -1e-13}) {
    const Derivative absolute = at(near, [](double x) { return std::abs(x); });
    CHECK(absolute.kind == Kind::kink);
    CHECK(absolute.left == doctest::Approx(-1).epsilon(0.1));
    CHECK(absolute.right == doctest::Approx(1).epsilon(0.1));
  }
  CHECK(at(1e-3, [](double x) { return std::abs(x); }).kind == Kind::smooth);
  CHECK(at(0, [](double x) { return 5 + std::max(x, 0.01 * x); }).kind == Kind::kink);
  CHECK(at(0, [](double x) { return 1e4 * x * x; }).kind == Kind::smooth);
}

TEST_CASE("differences: a kink beside x, however close, is not taken for x's") {
  for (double beside = 1e-9; beside < 1; beside *= 1.05)
    for (const double side : {-1.0, 1.0}) {
      const double x = 0.7, kink = x + side * beside;
      CAPTURE(side * beside);
      const Derivative d = at(x, [&](double v) { return 2 * v + std::max(v - kink, 0.0); });
      CHECK(d.kind == Kind::smooth);
      CHECK(std::abs(d.value - (side > 0 ? 2 : 3)) <= tolerance.of(3));
      CHECK(d.is_known(tolerance));
    }
}

TEST_CASE("differences: what float32 rounds is noise, and its derivative is found all the same") {
  for (const double x : {0.011, 0.7, 1.3, 40.1, 999.7, 12345.6}) {
    CAPTURE(x);
    const Derivative d = at(x, [](double v) { return rounded(rounded(v) * rounded(v)); });
    CHECK(d.kind == Kind::smooth);
    CHECK(std::abs(d.value - 2 * x) <= d.error + tolerance.of(2 * x));
    CHECK(d.error < 0.02 * 2 * x);
  }
  // what is a kink in float32 too
  CHECK(at(0, [](double v) { return rounded(std::abs(rounded(1 + v) - 1.0f)) + 1.0f; }).kind ==
        Kind::kink);
}

TEST_CASE("differences: a jump at x, with its height and the derivative on either side") {
  const auto step = [](double x) { return x > 0 ? 3 + 2 * x : 1 - x; };
  for (const Derivative& d :
       {at(0, step), at(0.7, [&](double x) { return step(x - 0.7); }),
        at(0, [](double x) { return x < 0    ? 1 - x
                                    : x == 0 ? 2
                                             : 3 + 2 * x; }),
        at(0, [](double x) { return x == 0  ? 3
                                    : x < 0 ? 1 - x
                                            : 1 + 2 * x; }),
        at(0, [&](double x) { return double{rounded(step(x))}; })}) {
    CHECK(d.kind == Kind::jump);
    CHECK(d.height == doctest::Approx(2).epsilon(1e-4));
    CHECK(d.left == doctest::Approx(-1).epsilon(0.01));
    CHECK(d.right == doctest::Approx(2).epsilon(0.01));
  }
}

TEST_CASE("differences: no jump is what is steep, beside x, made by rounding, or noise") {
  const auto kind = [](double x, const std::function<double(double)>& f) { return at(x, f).kind; };
  CHECK(kind(0, [](double x) { return std::tanh(1e9 * x); }) == Kind::smooth);
  CHECK(kind(0, [](double x) { return x > 1e-9 ? 1.0 : 0.0; }) == Kind::smooth);
  CHECK(kind(0, [](double x) { return std::sin(1e9 * x); }) == Kind::smooth);
  CHECK(kind(0, [](double x) { return std::cbrt(x); }) == Kind::smooth);
  for (int n = 0; n < 1000; ++n) {  // stairs, of rounding to 2^-23 and in the last digits
    const double x = 0.3 + 1e-9 * n;
    CHECK(kind(x, [](double v) { return double{rounded(v)}; }) == Kind::smooth);
    CHECK(kind(x, [](double v) { return v + 1e10 - 1e10; }) == Kind::smooth);
    CHECK(kind(x, [](double v) { return 1 + 1e-9 * v; }) == Kind::smooth);
  }
}

TEST_CASE("differences: bends and waves narrower than eps, where backward's number disagrees") {
  for (const double width : {1e-9, 3e-8, 1e-6}) {
    const auto waves = [width](double x) { return x + width * std::sin((x - 0.3) / width); };
    const auto steep = [width](double x) { return std::tanh((x - 0.3) / width) * width; };
    const double h = 0.7 * width, of_waves = 1 + std::cos(0.7),
                 of_steep = 1 - std::tanh(0.7) * std::tanh(0.7);
    for (const double factor : {1.0, 1.05, 0.95}) {
      const auto agrees = [&](const Derivative& d, double right) {
        return d.kind == Kind::smooth && d.is_known(tolerance) &&
               d.agrees(factor * right, tolerance);
      };
      CHECK(agrees(at(0.3 + h, waves, factor * of_waves), of_waves) == (factor == 1));
      CHECK(agrees(at(0.3 + h, steep, factor * of_steep), of_steep) == (factor == 1));
    }
  }
}

TEST_CASE("differences: the edge of a domain") {
  CHECK(at(0, [](double x) { return std::sqrt(x); }).kind == Kind::edge);
  CHECK(at(0, [](double x) { return 1 / x; }).kind == Kind::edge);
}

TEST_CASE("differences: of steps that are rounded to 0 nothing is known") {
  const Losses linear = [](double step) { return LossAt{step, step, 0}; };
  CHECK(std::isinf(differentiate(linear, 1, 1e-323, tolerance, 1).error));
}
