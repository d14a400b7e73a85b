// gradcheck finds each kind of mistake, names it, and does not report a mistake where there is
// none.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/culprit/culprit.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/gradcheck/watch/forward.h>
#include <slope/autograd/ops.h>
#include <slope/core/product/autocast.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>

#include <cmath>

#include "gradcheck.h"

using namespace slope;
using test::leaf;
using test::mentions;
using test::quiet;

namespace {

// y = x^2 with a rule that is `factor` times too large, at `element` alone where
// that is not negative.
Tensor square(const Tensor& x, double factor, int64_t element = -1) {
  static const Op op{.name = "bad_square",
                     .signature = "(*) -> (*)",
                     .saves = saves_input(),
                     .formula = [](const Saved& s, const Tensor& g) {
                       Tensor weight = full_like(s.input(), s.number("factor"));
                       if (const int64_t e = s.integer("element"); e >= 0) {
                         weight = ones_like(s.input());
                         weight.write<double>()[e] = s.number("factor");
                       }
                       return Grads{2 * g * s.input() * weight};
                     }};
  Tensor y = empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i)
    y.write<double>()[i] = x.data<double>()[i] * x.data<double>()[i];
  return op.record(y, {x}, {{"factor", factor}, {"element", element}});
}

}  // namespace

TEST_CASE("gradcheck: what is right passes, every output and input counted") {
  const Tensor x = leaf(tensor({1.5, -2.0, 3.0}).to(f64)),
               w = leaf(tensor({0.5, 0.25, -1.0}).to(f64));
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        return Tensors{in[0] * in[1], exp(in[1])};
      },
      {x, w});
  CHECK(report.ok);
  CHECK(report.checked == 2 * (3 + 3));  // of each output with respect to each element
  CHECK(report.text() == "ok: 12 derivatives agree");
}

TEST_CASE("gradcheck: a kink beside an element, however close, is not taken for a mistake") {
  for (const double beside : {1e-9, 3e-8, 7e-8, 1e-7, 1.5e-7, 1e-6, 1e-4})
    for (const double side : {-1.0, 1.0}) {
      const Tensor x = leaf(tensor({side * beside, 1.0, -1.0, 0.5}).to(f64));
      for (const auto& f :
           {std::function(relu), std::function([](const Tensor& v) { return abs(v) + v * v; })}) {
        const GradcheckReport report =
            gradcheck([&](const Tensors& in) { return Tensors{f(in[0])}; }, {x}, quiet);
        CHECK_MESSAGE(report.ok, report.text());
        CHECK(report.checked >= 3);  // where it does not change, rounding may be the reason
      }
    }
}

TEST_CASE("gradcheck: where a function is strongly curved, a mistake is not taken for a kink") {
  static double factor = 0;
  const Op logs{
      .name = "logs", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{factor * g / s.input()};
      }};
  for (factor = 0.97; factor < 1.04; factor += 0.01) {
    CAPTURE(factor);
    const GradcheckReport report = gradcheck(
        [&](const Tensors& in) { return Tensors{logs.record(log(in[0].detach()), {in[0]})}; },
        {leaf(tensor({1e-5, 2e-5, 5e-5}).to(f64))}, quiet);
    CHECK_MESSAGE(report.failed == (std::abs(factor - 1) < 0.005 ? 0 : 3), report.text());
  }
}

TEST_CASE("gradcheck: a kink at an element is told, however small it is") {
  for (const double slope : {0.002, 0.005, 0.01, 0.02, 0.05, 1.0}) {
    const Tensor x = leaf(tensor({0.0, 0.7, -0.3}).to(f64));
    const GradcheckReport report = gradcheck(
        [=](const Tensors& in) { return Tensors{in[0] + relu(in[0]) * slope}; }, {x}, quiet);
    CHECK_MESSAGE(report.ok, report.text());
    CHECK(report.checked + report.unchecked == 3);
  }
}

TEST_CASE(
    "gradcheck: under Autocast(bf16) a derivative is checked as far as bf16 lets it be seen") {
  manual_seed(4);
  const Tensors in{randn({2, 3}).set_requires_grad(), randn({3, 2}).set_requires_grad()};
  const TensorFunction f = [](const Tensors& x) {
    const Autocast autocast(bf16);
    return Tensors{matmul(x[0], x[1])};
  };
  for (const GradcheckReport& report : {gradcheck(f, in, quiet), gradgradcheck(f, in, {}, quiet)}) {
    CHECK_MESSAGE(report.failed == 0, report.text());
    if (!report.ok) CHECK_MESSAGE(mentions(report.notes, "bfloat16"), report.text());
  }
}

TEST_CASE("gradgradcheck: a grad_output of any layout") {
  const Tensor x = leaf(rand({40, 30}, f64)), one = full({}, 1.0, f64);
  for (const Tensor& u : {one.expand({40, 30}), rand({30, 40}, f64).transpose(0, 1),
                          rand({40, 60}, f64).slice(1, 0, 60, 2)}) {
    GradcheckOptions options = quiet;
    options.sample = 5;
    const GradcheckReport report =
        gradgradcheck([](const Tensors& in) { return Tensors{sin(in[0])}; }, {x}, {u}, options);
    CHECK_MESSAGE(report.ok, report.text());
  }
}

TEST_CASE("gradcheck: where terms cancel in float32, their rounding is not taken for a mistake") {
  manual_seed(3);
  const Tensor x = randn({256, 6}), w = randn({6, 8}).set_requires_grad(),
               b = zeros({8}).set_requires_grad(), v = randn({8, 3});
  const TensorFunction f = [&](const Tensors& in) {  // b has no effect: its gradient is rounding
    const Tensor h = matmul(x, in[0]) + in[1];
    return Tensors{matmul(tanh((h - mean(h, {0})) / slope::std(h, {0})), v)};
  };
  for (uint64_t seed = 0; seed < 3; ++seed) {
    GradcheckOptions options = quiet;
    options.seed = seed;
    options.sample = 2;
    options.find_culprit = false;
    const std::string text =
        gradcheck(f, {w, b}, options).text() + gradgradcheck(f, {w, b}, {}, options).text();
    CHECK_MESSAGE(text.find("not linear") == std::string::npos, text);
  }
}

TEST_CASE(
    "gradcheck: a wrong derivative is named by op, output, input and element, with both values and "
    "their ratio") {
  const Tensor c = tensor({1.0, 1.0, 1.0}).to(f64), x = leaf(tensor({1.5, -2.0, 3.0}).to(f64));
  const TensorFunction f = [](const Tensors& in) {
    return Tensors{in[1] + 1, square(in[1] + in[0], 3, 1)};
  };
  const GradcheckReport report = gradcheck(f, {c, x}, quiet);
  CHECK(!report.ok);
  CHECK(report.failed == 1);
  REQUIRE(report.failures.size() == 1);
  const GradcheckFailure& failure = report.failures[0];
  CHECK(failure.op == "bad_square");
  CHECK(failure.output_index == 1);
  CHECK(failure.element == 1);
  CHECK(failure.input == "input 1");
  CHECK(failure.ratio() == doctest::Approx(3));
  CHECK(failure.analytic == doctest::Approx(3 * failure.numeric));
  CHECK(report.text().find("output 1 (bad_square), input 1, element 1: analytic ") !=
        std::string::npos);
  CHECK_THROWS_WITH_AS((void)gradcheck(f, {c, x}), doctest::Contains("bad_square"), AutogradError);
}

TEST_CASE(
    "gradcheck: the factor that all failures share is said; the first few are kept, all are "
    "counted") {
  const Tensor x = leaf(arange(1, 31, 1, f64));
  const GradcheckReport report =
      gradcheck([](const Tensors& in) { return Tensors{square(in[0], 2)}; }, {x}, quiet);
  CHECK(report.failed == 30);
  CHECK(report.failures.size() == 20);
  CHECK(report.text().find("and 10 more") != std::string::npos);
  const GradcheckReport few =
      gradcheck([](const Tensors& in) { return Tensors{square(in[0].narrow(0, 0, 4).clone(), 2)}; },
                {x}, quiet);
  CHECK(few.text().find("every one is off by the same factor 2") != std::string::npos);
}

TEST_CASE("gradcheck: parameters are named; a gradient that does not arrive is zero, and wrong") {
  const Tensor weight = leaf(tensor({1.0, 2.0}).to(f64));
  const NamedTensors leaves{{"encoder.weight", weight}};
  const GradcheckReport report =
      gradcheck([&] { return Tensors{weight * 1.0 + weight.detach()}; }, leaves, quiet);
  CHECK(report.failed == 2);
  REQUIRE(!report.failures.empty());
  CHECK(report.failures[0].input == "encoder.weight");
  CHECK(report.failures[0].ratio() == doctest::Approx(0.5));
}

TEST_CASE("gradcheck: float32 inputs are said to be too coarse") {
  const Tensor x = leaf(tensor({1.5, 2.5}).to(f32));
  const GradcheckReport report =
      gradcheck([](const Tensors& in) { return Tensors{in[0] * in[0]}; }, {x}, quiet);
  CHECK(mentions(report.notes, "input 0 is float32"));
}

TEST_CASE(
    "gradcheck: an element on a kink is noted and not checked; a wrong derivative beside it is "
    "still found") {
  const Tensor x = leaf(tensor({-1.0, 0.0, 2.0}).to(f64));
  const GradcheckReport report =
      gradcheck([](const Tensors& in) { return Tensors{relu(in[0])}; }, {x}, quiet);
  CHECK(report.ok);
  CHECK(report.checked == 2);
  CHECK(report.unchecked == 1);
  CHECK(mentions(report.notes,
                 "input 0, element 1: output 0 has a kink here (its derivative is 0 from the left "
                 "and "));
  const GradcheckReport wrong = gradcheck(
      [](const Tensors& in) { return Tensors{relu(in[0]) + square(in[0], 2)}; }, {x}, quiet);
  CHECK(wrong.failed == 2);
}

TEST_CASE("gradgradcheck: at a kink the first derivative jumps, which is said and not checked") {
  const Tensor x = leaf(tensor({-0.5, 0.0, 2.0}, f64)), u = leaf(tensor({1.0, 1.5, 2.0}, f64));
  const TensorFunction ramp = [](const Tensors&in) { return Tensors{relu(in[0])}; },
                       absolute = [](const Tensors&in) { return Tensors{abs(in[0]) + exp(in[0])}; },
                       larger = [](const Tensors&in) {
                         return Tensors{maximum(in[0], in[0] * in[0] * in[0])};
                       };
  for (const TensorFunction& f : {ramp, absolute, larger}) {
    const GradcheckReport report = gradgradcheck(f, {x}, {u}, quiet);
    CHECK_MESSAGE(report.ok, report.text());
    CHECK(report.unchecked == 1);
    CHECK(mentions(report.notes, "input 0, element 1: output 0 jumps here (by "));
    CHECK_FALSE(mentions(report.notes, "noisy"));
  }
  const GradcheckReport none = gradgradcheck(ramp, {leaf(zeros({2}, f64))}, {}, quiet);
  CHECK(mentions(none.problems, "could be checked (2 at kinks and jumps, 0 too noisy, 0 at "));
}

TEST_CASE("gradcheck: an error that looks like a kink to the eye, but is smooth, is no kink") {
  const Tensor x = leaf(tensor({1e-3, 1e-3}).to(f64));  // steep, curved: sqrt near 0
  const GradcheckReport wrong =
      gradcheck([](const Tensors& in) { return Tensors{square(sqrt(in[0]), 1.5)}; }, {x}, quiet);
  CHECK(wrong.failed == 2);
  CHECK(gradcheck([](const Tensors& in) { return Tensors{sqrt(in[0])}; }, {x}, quiet).ok);
}

TEST_CASE("gradcheck: the rounding of large values is no kink") {
  manual_seed(3);
  for (double offset : {0., 1e6, 1e7, 1e8})
    for (int i = 0; i < 50; ++i) {
      const GradcheckReport report =
          gradcheck([&](const Tensors& in) { return Tensors{square(in[0], 1.5) + offset}; },
                    {leaf(rand({1}, f64) + 1)}, quiet);
      CHECK(!report.ok);
    }
}

TEST_CASE("gradcheck: options that make no sense are refused by name") {
  const TensorFunction f = [](const Tensors& in) { return Tensors{in[0] * in[0]}; };
  const Tensor x = tensor({1.0, 2.0}, f64).set_requires_grad();
  const auto refused = [&](const GradcheckOptions& options, const char* says) {
    CHECK_THROWS_WITH_AS((void)gradcheck(f, {x}, options), doctest::Contains(says), UsageError);
  };
  for (const double eps : {0.0, -1e-6, double(INFINITY), double(NAN)})
    refused({.eps = eps}, "eps must be finite and above 0");
  refused({.atol = -1}, "atol must be finite and at least 0, got -1");
  refused({.rtol = NAN}, "rtol must be finite and at least 0, got nan");
  refused({.sample = -1}, "sample must not be negative, got -1");
  for (const double share : {-0.1, 1.5, double(NAN)})
    refused({.most_unchecked = share}, "most_unchecked must be from 0 to 1");
  CHECK_THROWS_WITH_AS((void)gradgradcheck(f, {x}, {}, {.rtol = NAN}),
                       doctest::Contains("rtol must be finite and at least 0"), UsageError);
  const GradcheckOptions tiny{.eps = 1e-323, .raise_exception = false};  // rounded away
  CHECK(mentions(gradcheck(f, {x}, tiny).problems, "only 0 of 2 derivatives"));
}

TEST_CASE("gradcheck: inputs have their bits again afterwards, the sign of 0 too") {
  const Tensor x = leaf(tensor({-0.0, 1.0}, f64));
  CHECK(gradcheck([](const Tensors& in) { return Tensors{in[0] * 3.0}; }, {x}).ok);
  CHECK(std::signbit(x.data<double>()[0]));
}

TEST_CASE("gradcheck: an input that shares memory with a constant is refused") {
  const Tensor x = leaf(tensor({1.0, 2.0}, f64));
  const TensorFunction product = [](const Tensors& in) { return Tensors{in[0] * in[1]}; };
  for (const Tensors& inputs : {Tensors{x, x.detach()}, Tensors{x.detach(), x}}) {
    const GradcheckReport report = gradcheck(product, inputs, quiet);
    CHECK(mentions(report.problems, "input 0 and input 1 overlap in memory"));
    CHECK(report.failed == 0);
  }
}

TEST_CASE("gradcheck: an output that is missing when the function is called again") {
  const Tensor x = leaf(tensor({1.0, 2.0}, f64));
  const std::function<Tensors()> f = [&] { return Tensors{x * 2.0}; };
  CHECK(source_of(f, 1, NAN) == "the function returned fewer outputs this time");
  const Failing second{.output = 1, .u = ones({2}, f64), .directions = {}};
  CHECK(find_culprits(f, {{"x", x}}, second, quiet).empty());
}

TEST_CASE("gradcheck: nothing to check is not a success") {
  const Tensor x = leaf(tensor({1.0, 2.0}).to(f64));
  CHECK_THROWS_AS(
      (void)gradcheck([](const Tensors& in) { return Tensors{in[0] * 2}; }, {x.detach()}),
      UsageError);
  const TensorFunction cut = [](const Tensors& in) { return Tensors{in[0].detach() * 2}; };
  CHECK(mentions(gradgradcheck(cut, {x}, {}, quiet).problems, "no output depends"));
  CHECK(mentions(
      gradcheck([](const Tensors& in) { return Tensors{in[0] > 0.0}; }, {x}, quiet).problems,
      "nothing to check"));
}

TEST_CASE("gradgradcheck: a formula that is right once and wrong twice is found") {
  // x^3 with the second derivative hidden from the tape.
  static const Op op{.name = "cube",
                     .signature = "(*) -> (*)",
                     .saves = saves_input(),
                     .formula = [](const Saved& s, const Tensor& g) {
                       return Grads{3 * g * (s.input() * s.input()).detach()};
                     }};
  const TensorFunction cube = [](const Tensors& in) {
    return Tensors{op.record((in[0] * in[0] * in[0]).detach(), {in[0]})};
  };
  const Tensor x = leaf(tensor({1.0, -2.0}).to(f64));
  CHECK(gradcheck(cube, {x}, quiet).ok);
  const GradcheckReport report = gradgradcheck(cube, {x}, {}, quiet);
  CHECK(report.failed == 2);
  CHECK(mentions(report.problems, "the tape is cut: input 0 does not reach output 0"));
}
