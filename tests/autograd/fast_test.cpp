// The fast mode names every leaf with a wrong gradient, whatever the error's direction.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/tests/sanitized.h>

#include <cmath>

#include "planted.h"

using namespace slope;
using test::mentions;
using test::values;
using test::with_rule;

namespace {

const FastOptions quiet_fast{.raise_exception = false};

// x, with a gradient that a rule of the test's own changes
const Op scaled{.name = "scaled", .formula = [](const Saved& s, const Tensor& g) {
                  return Grads{g * s.number("factor")};
                }};
Tensor with_gradient_times(double factor, const Tensor& x) {
  return with_rule(scaled, [&] { return x * 1.0; }, {x}, {{"factor", factor}});
}

struct Net {
  NamedTensors leaves{{"w1", values({8, 20})},   {"b1", values({20}, 2)},
                      {"gain", values({20}, 3)}, {"w2", values({20, 5}, 4)},
                      {"b2", values({5}, 5)},    {"unused", values({3}, 6)}};
  Tensor x = values({16, 8}, 7).detach();
  std::string wrong;
  double factor = 1.01;

  Tensor leaf(size_t i) const {
    const NamedTensor& l = leaves[i];
    return l.name == wrong ? with_gradient_times(factor, l.tensor) : l.tensor;
  }
  Tensors operator()() const {
    const Tensor h = tanh(matmul(x, leaf(0)) + leaf(1)) * leaf(2);
    return {mean(log_softmax(matmul(h, leaf(3)) + leaf(4), 1).select(1, 2))};
  }
};

}  // namespace

TEST_CASE("fast: what is right passes, for twenty seeds; parameters stay as they were") {
  const Net net;
  const std::vector<double> before = net.leaves[0].tensor.to_vector();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const GradcheckReport report =
        gradcheck_fast(net, net.leaves, {.raise_exception = false, .seed = seed});
    CHECK_MESSAGE(report.ok, report.text());
    CHECK(report.checked == 18);
    CHECK(report.unchecked == 0);
  }
  CHECK(net.leaves[0].tensor.to_vector() == before);
}

TEST_CASE("fast: a leaf whose gradient is scaled by 1.01 is named, and no other") {
  Net net;
  for (const NamedTensor& leaf : net.leaves) {
    if (leaf.name == "unused") continue;
    net.wrong = leaf.name;
    const GradcheckReport report = gradcheck_fast(net, net.leaves, quiet_fast);
    CHECK(!report.ok);
    for (const GradcheckLeaf& row : report.leaves)
      CHECK((row.failed > 0) == (row.name == leaf.name));
    CHECK(report.text().find(leaf.name + " 3 of 3 wrong, ratio 1.01") != std::string::npos);
    REQUIRE(report.culprits.size() == 1);
    CHECK(report.culprits[0].op == "scaled");
  }
  CHECK_THROWS_WITH_AS((void)gradcheck_fast(net, net.leaves), doctest::Contains("b2 3 of 3 wrong"),
                       AutogradError);
}

// y = sum of x^2; the rule is wrong by e, which is orthogonal to the gradient: invisible in the
// gradient's direction, visible in the others.
TEST_CASE("fast: an error that is orthogonal to one direction is seen along another") {
  static const Op op{
      .name = "orthogonal", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        const Tensor x = s.input(),
                     swapped =
                         cat({x.narrow(0, 1, 1), -x.narrow(0, 0, 1), 0 * x.narrow(0, 2, 4)}, 0);
        return Grads{g * (2 * x + 0.1 * swapped)};
      }};
  const NamedTensors leaves{{"x", values({6})}};
  const auto f = [&] {
    const Tensor& x = leaves[0].tensor;
    return Tensors{with_rule(op, [&] { return sum(x * x); }, {x})};
  };
  const GradcheckReport report = gradcheck_fast(f, leaves, quiet_fast);
  CHECK(!report.ok);
  CHECK(report.failed >= 2);  // of the two random directions
}

TEST_CASE("fast: float32 steps and inputs of any size") {
  for (const double size : {1.0, 300.0, 1e4, 1e6}) {
    CAPTURE(size);
    const Tensor x = (values({20}, 11).detach() * size).set_requires_grad();
    const NamedTensors leaves{{"x", x}};
    CHECK(gradcheck_fast([&] { return Tensors{(x.to(f32) * 2).to(f64)}; }, leaves, quiet_fast).ok);
    CHECK(gradcheck_fast([&] { return Tensors{tanh(x.to(f32) * (1 / size)).to(f64)}; }, leaves,
                         quiet_fast)
              .ok);
    const auto wrong = [&] {
      return Tensors{with_gradient_times(1.05, tanh(x.to(f32) * (1 / size)).to(f64))};
    };
    CHECK(gradcheck_fast(wrong, leaves, quiet_fast).failed > 0);
  }
}

TEST_CASE("fast: kinks near x do not make a right rule wrong in float64, and rarely in float32") {
  int64_t wrong_in_f32 = 0;
  for (const DType dtype : {f64, f32})
    for (uint64_t seed = 0; seed < (test::sanitized ? 2 : 6); ++seed) {
      const int64_t h = dtype == f64 ? 100 : 40;
      const auto drawn = [&](const Dims& shape, uint64_t number) {
        return (values(shape, 10 * seed + number).detach() * 0.3).to(dtype).set_requires_grad();
      };
      const NamedTensors leaves{
          {"w1", drawn({10, h}, 1)}, {"w2", drawn({h, h}, 2)}, {"w3", drawn({h, 1}, 3)}};
      const Tensor x = values({32, 10}, 10 * seed + 4).detach().to(dtype);
      const GradcheckReport report = gradcheck_fast(
          [&] {
            const Tensor a = relu(matmul(x, leaves[0].tensor));
            return Tensors{matmul(relu(matmul(a, leaves[1].tensor)), leaves[2].tensor)};
          },
          leaves, quiet_fast);
      if (dtype == f64) CHECK_MESSAGE(report.ok, report.text());
      if (dtype == f32) wrong_in_f32 += report.failed;
    }
  CHECK(wrong_in_f32 <= 2);  // of 54
}

TEST_CASE("fast: a nan gradient of one output is not made up for by another output") {
  const NamedTensors leaves{{"x", values({4})}, {"y", values({3}, 2)}};
  {
    const NoGrad no_grad;
    leaves[0].tensor.write<double>()[0] = 0;
  }
  const auto f = [&] {
    const Tensor& x = leaves[0].tensor;
    return Tensors{where(x == 0, ones({4}, f64), sin(x) / x), sin(leaves[1].tensor)};
  };
  const GradcheckReport report = gradcheck_fast(f, leaves, quiet_fast);
  CHECK_MESSAGE(!report.ok, report.text());
  CHECK_MESSAGE(report.failed > 0, report.text());
}

TEST_CASE("fast: where terms cancel, their rounding is no derivative") {
  const NamedTensors leaves{{"x", values({5})}};
  const auto f = [&] {
    const Tensor centred = leaves[0].tensor - mean(leaves[0].tensor);
    return Tensors{sum(centred)};
  };
  const GradcheckReport report = gradcheck_fast(f, leaves, quiet_fast);
  CHECK_MESSAGE(report.ok, report.text());
}

TEST_CASE("fast: leaves that overlap in memory are refused, and stay as they were") {
  const Tensor x = tensor({0.5}, f64).expand({3}).detach().set_requires_grad();
  const GradcheckReport report =
      gradcheck_fast([&] { return Tensors{sum(x * x)}; }, {{"x", x}}, quiet_fast);
  CHECK(mentions(report.problems, "x overlaps itself in memory"));
  {
    const Poke poke(x, {1, 2, 3});
    CHECK(x.to_vector() == std::vector<double>(3, 3));
  }
  CHECK(x.to_vector() == std::vector<double>(3, 0.5));
  const Tensor y = values({4}), constant = y.detach().narrow(0, 1, 2);
  const GradcheckReport shared =
      gradcheck_fast([&] { return Tensors{y.narrow(0, 0, 2) * constant}; },
                     {{"y", y}, {"constant", constant}}, quiet_fast);
  CHECK(mentions(shared.problems, "y and constant overlap in memory"));
  CHECK(shared.failed == 0);
}

TEST_CASE("fast: it is a failure if too few directions, or none, can be checked") {
  const Tensor x = test::leaf(zeros({4}, f64));
  for (const std::function<Tensor()>& f : {std::function<Tensor()>([&] { return sqrt(x); }),
                                           std::function<Tensor()>([&] { return relu(x); })}) {
    const GradcheckReport report =
        gradcheck_fast([&] { return Tensors{sum(f())}; }, {{"x", x}}, quiet_fast);
    CHECK(!report.ok);
    CHECK(report.failed == 0);
    CHECK(report.unchecked == 3);
    CHECK(mentions(report.problems,
                   "only 0 of 3 directions of x could be checked for output 0: too few"));
  }
  CHECK(mentions(gradcheck_fast([&] { return Tensors{x > 0.0}; }, {{"x", x}}, quiet_fast).problems,
                 "nothing to check"));
}

TEST_CASE("fast: leaves that require no gradient are constants") {
  const Tensor x = values({3}), constant = values({3}, 2).detach();
  const auto f = [&] { return Tensors{x * constant}; };
  const GradcheckReport report = gradcheck_fast(f, {{"constant", constant}, {"x", x}}, quiet_fast);
  CHECK_MESSAGE(report.ok, report.text());
  CHECK(report.checked == 3);
  REQUIRE(report.leaves.size() == 1);
  CHECK(report.leaves[0].name == "x");
  CHECK_THROWS_WITH_AS((void)gradcheck_fast(f, {{"constant", constant}}, quiet_fast),
                       doctest::Contains("none of the 1 leaves requires a gradient"), UsageError);
}

TEST_CASE("fast: options that make no sense are refused by name") {
  const Tensor x = values({3});
  const auto refused = [&](const FastOptions& options, const char* says) {
    CHECK_THROWS_WITH_AS((void)gradcheck_fast([&] { return Tensors{x * x}; }, {{"x", x}}, options),
                         doctest::Contains(says), UsageError);
  };
  for (const double step : {0.0, -1e-5, double(INFINITY), double(NAN)})
    refused({.step = step}, "step must be finite and above 0");
  refused({.rtol = -1}, "rtol must be finite and at least 0, got -1");
  refused({.directions = 0}, "directions must be above 0, got 0");
}

TEST_CASE("gradcheck: a sample of elements, drawn by seed without repetition") {
  const Tensor x = values({50});
  GradcheckOptions options{.raise_exception = false, .find_callers = false, .sample = 7};
  const auto f = [](const Tensors& in) { return Tensors{with_gradient_times(2, in[0])}; };
  const auto elements = [&] {
    std::vector<int64_t> result;
    for (const GradcheckFailure& failure : gradcheck(f, {x}, options).failures)
      result.push_back(failure.element);
    return result;
  };
  const std::vector<int64_t> first = elements();
  CHECK(first.size() == 7);
  CHECK(std::adjacent_find(first.begin(), first.end()) == first.end());
  CHECK(elements() == first);
  options.seed = 9;
  CHECK(elements() != first);
  options.sample = 500;
  CHECK(gradcheck(f, {x}, options).failed == 50);
}
