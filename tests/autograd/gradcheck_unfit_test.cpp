// Functions that cannot be checked by differences: gradcheck says so, with the element, both values
// and what to do, and never says "ok".
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/random.h>

#include "gradcheck.h"

#include <cmath>

using namespace slope;
using test::leaf;
using test::mentions;
using test::quiet;

TEST_CASE("gradcheck: values that differ are printed with as many digits as tell them apart") {
  int calls = 0;
  const GradcheckReport report = gradcheck(
      [&](const Tensors& x) {
        return Tensors{x[0] * (calls++ % 2 ? std::nextafter(2.0, 3.0) : 2.0)};
      },
      {full({1}, 1.0, f64).set_requires_grad()}, {.raise_exception = false});
  REQUIRE(!report.problems.empty());
  CHECK_MESSAGE(report.problems[0].find("was 2, then 2.0000000000000004 for") != std::string::npos,
                report.problems[0]);
}

TEST_CASE("gradcheck: what a function throws need not be a std::exception") {
  const GradcheckReport report =
      gradcheck([](const Tensors&) -> Tensors { throw 5; },
                {full({1}, 1.0, f64).set_requires_grad()}, {.raise_exception = false});
  CHECK(report.problems ==
        std::vector<std::string>{"the function or a rule threw what is no std::exception"});
}

TEST_CASE("gradcheck: outputs that change their number, shape or dtype between calls") {
  int call = 0;
  const TensorFunction number = [&](const Tensors& in) {
    return Tensors(static_cast<size_t>(1 + call++ % 2), in[0] * 2.0);
  };
  const TensorFunction shape = [&](const Tensors& in) {
    return Tensors{in[0] * 2.0, in[0].narrow(0, 0, 1 + call++ % 2)};
  };
  const TensorFunction dtype = [&](const Tensors& in) {
    return Tensors{(in[0] * 2.0).to(call++ % 2 ? f32 : f64)};
  };
  const Tensor x = leaf(tensor({1.0, 2.0, 3.0}).to(f64));
  const auto problem = [&](const TensorFunction& f) {
    call = 0;
    const GradcheckReport report = gradcheck(f, {x}, quiet);
    CHECK(!report.ok);
    return report.problems.at(0);
  };
  CHECK(problem(number) ==
        "the function returned 1 outputs at first, then 2: it must return the same number at every "
        "call");
  CHECK(problem(shape).starts_with("output 1 was float64 (1,) at first, then float64 (2,)"));
  CHECK(problem(dtype).starts_with("output 0 was float64 (3,) at first, then float32 (3,)"));
  const TensorFunction undefined = [&](const Tensors& in) {
    return Tensors{in[0] * 2.0, call++ % 3 == 2 ? Tensor() : in[0] * 3.0};
  };
  CHECK(problem(undefined).starts_with("output 1 is an undefined tensor"));
  CHECK(problem([](const Tensors&) { return Tensors{Tensor()}; }).starts_with("output 0 is an"));
  call = 1;
  CHECK(mentions(gradgradcheck(number, {x}, {}, quiet).problems, "the same number at every call"));

  // the function depends on the values that the check moves
  const TensorFunction positive = [](const Tensors& in) {
    int64_t n = 0;
    for (const double v : in[0].detach().to_vector()) n += v > 2;
    return Tensors{in[0].narrow(0, 0, n) * 1.0};
  };
  const std::string changed = problem(positive);
  CHECK(changed.starts_with("output 0 was float64 (1,) at first, then float64 (2,)"));
  CHECK(changed.ends_with("(input 0, element 1 moved by 1e-06)"));
}

TEST_CASE("gradcheck: a function that is not deterministic is told from one that is wrong") {
  const Tensor x = leaf(ones({64}, f64));
  const GradcheckReport random =
      gradcheck([](const Tensors& in) { return Tensors{dropout(in[0], 0.5)}; }, {x}, quiet);
  CHECK(!random.ok);
  CHECK(mentions(random.problems, "not deterministic: output 0, element "));
  CHECK(random.failed == 0);
  const auto fixed = [](const Tensors& in) {
    manual_seed(3);
    return Tensors{dropout(in[0], 0.5)};
  };
  CHECK(gradcheck(fixed, {x}, quiet).ok);
}

TEST_CASE("gradcheck: a function that writes into its input") {
  const Tensor x = leaf(tensor({1.0, 2.0}).to(f64));
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const NoGrad no_grad;
        in[0].write<double>()[1] += 1;
        return Tensors{in[0].detach()};
      },
      {x}, quiet);
  CHECK(mentions(report.problems, "writes into its input: input 0, element 1 was 2 and is 3"));
}

TEST_CASE("gradcheck: inputs that share an element are refused; columns of a matrix share none") {
  const Tensor base = arange(0, 12, 1, f64);
  const TensorFunction product = [](const Tensors& in) { return Tensors{in[0] * in[1]}; };
  const auto check = [&](const Tensor& a, const Tensor& b) {
    return gradcheck(product, {a.detach().set_requires_grad(), b.detach().set_requires_grad()},
                     quiet);
  };
  const Tensor matrix = base.reshape({4, 3}), square = base.narrow(0, 0, 9).reshape({3, 3});
  CHECK(check(matrix.select(1, 0), matrix.select(1, 1)).ok);
  CHECK(check(matrix.select(1, 2), matrix.select(1, 0)).ok);
  CHECK(check(matrix.slice(0, 0, 4, 2), matrix.slice(0, 1, 4, 2)).ok);
  CHECK(check(base.narrow(0, 0, 4), base.narrow(0, 4, 4)).ok);
  CHECK(check(matrix.narrow(1, 0, 1), matrix.narrow(1, 1, 2).narrow(1, 1, 1)).checked == 8);

  const char* overlap = "input 0 and input 1 overlap in memory";
  CHECK(mentions(check(base.narrow(0, 0, 4), base.narrow(0, 2, 4)).problems, overlap));
  CHECK(mentions(check(base.narrow(0, 0, 4), base.narrow(0, 3, 4)).problems, overlap));
  CHECK(mentions(check(square.select(0, 1), square.select(1, 2)).problems, overlap));
  CHECK(mentions(check(square, square).problems, overlap));
  const Tensor window(base.storage(), {.shape = {3, 2}, .strides = {1, 1}}, f64);
  for (const Tensor& x : {tensor({2.0}).to(f64).expand({4}), window})
    CHECK(mentions(gradcheck([](const Tensors& in) { return Tensors{in[0] * 2.0}; },
                             {x.detach().set_requires_grad()}, quiet)
                       .problems,
                   "input 0 overlaps itself"));
}

TEST_CASE("gradcheck: a value that is not finite: element, operation and domain; others go on") {
  const Tensor x = leaf(tensor({1.0, -2.0, 3.0}).to(f64));
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        return Tensors{exp(in[0]), sin(log(in[0] * 1.0)) + 1.0};
      },
      {x}, quiet);
  CHECK(!report.ok);
  CHECK(report.failed == 0);
  CHECK(report.checked == 3);  // of output 0 alone
  CHECK(mentions(report.problems, "output 1, element 1 is nan: log made it from finite values"));
  const GradcheckReport zero =
      gradcheck([](const Tensors& in) { return Tensors{1.0 / (in[0] - 3.0)}; }, {x}, quiet);
  CHECK(mentions(zero.problems, "output 0, element 2 is infinite: "));
  CHECK(zero.checked == 0);
}

TEST_CASE("gradcheck: a tape that is cut, by detach or by NoGrad, is said once") {
  const Tensor x = leaf(tensor({1.0, 2.0, 0.5}).to(f64)), w = leaf(tensor({2.0, 0.0, 3.0}).to(f64));
  const GradcheckReport detached = gradcheck(
      [](const Tensors& in) { return Tensors{exp(in[0].detach()) * in[1]}; }, {x, w}, quiet);
  CHECK(!detached.ok);
  CHECK(detached.failed == 2);  // where w is 0, so is the derivative
  CHECK(detached.failures.empty());
  CHECK(detached.problems.size() == 1);
  CHECK(mentions(detached.problems,
                 "the tape is cut: input 0 does not reach output 0, which changes with it (2 of 3 "
                 "derivatives are not 0; that of element 0 is "));
  CHECK(mentions(detached.problems, "look for detach()"));
  const GradcheckReport without = gradcheck(
      [](const Tensors& in) {
        const NoGrad no_grad;
        return Tensors{tanh(in[0])};
      },
      {x}, quiet);
  CHECK(mentions(without.problems, "; tanh runs without gradients (NoGrad)"));
  // an input on which the output does not depend is not a cut
  CHECK(gradcheck(
            [](const Tensors& in) {
              return Tensors{in[1] * 2.0, in[0] * 2.0};
            },
            {x, w}, quiet)
            .ok);
}

TEST_CASE("gradcheck: a float32 step inside a float64 function is noise, not a kink") {
  static const Op rounds{
      .name = "rounds", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * s.input() * 2.0 * s.number("factor")};
      }};
  for (const double scale : {0.01, 1.0, 30.0, 1000.0}) {
    const auto f = [](double factor) {
      return [factor](const Tensors& in) {
        const NoGrad no_grad;
        const Tensor x = in[0].to(f32);
        const Tensor y = (x * x).to(f64);
        const EnableGrad enable_grad;
        return Tensors{rounds.record(y, {in[0]}, {{"factor", factor}})};
      };
    };
    manual_seed(4);
    const Tensor x = leaf((rand({20}, f64) + 0.5) * scale);
    const GradcheckReport right = gradcheck(f(1), {x}, quiet),
                          wrong = gradcheck(f(1.05), {x}, quiet);
    CAPTURE(scale);
    CHECK_MESSAGE(right.ok, right.text());
    CHECK(right.checked == 20);
    CHECK(!mentions(right.notes, "kink"));
    CHECK_MESSAGE(wrong.failed == 20, wrong.text());
  }
}

TEST_CASE("gradcheck: too few elements that can be checked are a failure; notes are counted") {
  const auto check = [](const std::vector<double>& values) {
    return gradcheck([](const Tensors& in) { return Tensors{relu(in[0])}; },
                     {leaf(from_vector(values, {static_cast<int64_t>(values.size())}))}, quiet);
  };
  std::vector<double> values(1000, 0.0);
  values[7] = 1;
  const GradcheckReport one = check(values);
  CHECK(!one.ok);
  CHECK(one.checked == 1);
  CHECK(one.unchecked == 999);
  CHECK(mentions(one.problems, "only 1 of 1000 derivatives of output 0 with respect to input 0"));
  CHECK_MESSAGE(one.notes.size() == 1, one.text());
  CHECK(mentions(one.notes, "input 0, element 0 and 998 more: output 0 has a kink here"));
  for (size_t i = 0; i < 500; ++i) values[i] = 1;
  CHECK(check(values).ok);
  values[0] = 0;
  CHECK(!check(values).ok);
  CHECK(!check({0, 0, 0}).ok);
}

TEST_CASE("gradcheck: at the edge of its domain a function is not called wrong") {
  const GradcheckReport report = gradcheck([](const Tensors& in) { return Tensors{sqrt(in[0])}; },
                                           {leaf(tensor({1.0, 0.0, 4.0}).to(f64))}, quiet);
  CHECK(report.ok);
  CHECK(report.unchecked == 1);
  CHECK(mentions(report.notes, "input 0, element 1: output 0 is not finite when it moves by"));
}

TEST_CASE("gradcheck: inputs without elements are not a success, as nothing was checked") {
  const Tensor x = leaf(zeros({0, 3}, f64));
  const TensorFunction f = [](const Tensors& in) { return Tensors{in[0] * in[0]}; };
  for (const GradcheckReport& report :
       {gradcheck(f, {x}, quiet), gradgradcheck(f, {x}, {}, quiet),
        gradcheck_fast([&] { return f({x}); }, {{"x", x}}, {.raise_exception = false})}) {
    CHECK(!report.ok);
    CHECK(mentions(report.problems, "nothing was checked: no input"));
  }
  CHECK_THROWS_AS((void)gradcheck(f, {x}), AutogradError);
  GradcheckOptions options = quiet;
  options.allow_nothing = true;
  CHECK(gradcheck(f, {x}, options).ok);
}
