// What a function or a rule does wrong while it is checked is a problem of the report: nothing is
// thrown, whichever call goes wrong, and the rule is named.
#include <doctest/doctest.h>
#include <slope/autograd/checkpoint.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/core/loops/copy.h>
#include <slope/core/product/autocast.h>
#include <slope/core/tensor/random.h>

#include <cmath>
#include <stdexcept>

#include "gradcheck.h"

using namespace slope;
using test::leaf;
using test::mentions;
using test::quiet;

namespace {

int rule_calls = 0;

// y = 2 h + h with h = x, whose first term has a rule of the test's own
TensorFunction twice_by(const Op& op) {
  return [&op](const Tensors& in) {
    const Tensor h = in[0] * 1.0;
    return Tensors{op.record(contiguous_copy(h.detach() * 2.0), {h}) + h};
  };
}

struct ThreeReports {
  GradcheckReport plain, fast, second;
};
ThreeReports checked_three_ways(const TensorFunction& f, const Tensors& inputs,
                                const std::function<void()>& reset) {
  NamedTensors named;
  for (const Tensor& x : inputs) named.push_back({"x", x});
  const auto bound = [&] { return f(inputs); };
  ThreeReports all;
  reset();
  all.plain = gradcheck(f, inputs, quiet);
  reset();
  all.fast = gradcheck_fast(bound, named, {.raise_exception = false});
  reset();
  all.second = gradgradcheck(f, inputs, {}, quiet);
  return all;
}

void expect_in_all(const Op& op, const std::string& words) {
  CAPTURE(op.name);
  const auto reset = [] { rule_calls = 0; };
  const ThreeReports all =
      checked_three_ways(twice_by(op), {leaf(tensor({1.0, 2.0, 3.0}, f64))}, reset);
  for (const GradcheckReport* report : {&all.plain, &all.fast, &all.second}) {
    CHECK(!report->ok);
    CHECK_MESSAGE(mentions(report->problems, words), report->text());
  }
}

}  // namespace

TEST_CASE("gradcheck: a gradient of another shape, dtype or number, or an exception of a rule") {
  expect_in_all(
      {.name = "summed", .formula = [](const Saved&, const Tensor& g) { return Grads{sum(g)}; }},
      "summed: its derivative returned float64 () for input 0");
  expect_in_all(
      {.name = "coarse", .formula = [](const Saved&, const Tensor& g) { return Grads{g.to(f32)}; }},
      "coarse: its derivative returned float32 (3,) for input 0");
  expect_in_all({.name = "two",
                 .formula =
                     [](const Saved&, const Tensor& g) {
                       return Grads{g, g};
                     }},
                "two: its derivative returned 2 gradients for 1 inputs");
  const Op throws{.name = "throws", .formula = [](const Saved&, const Tensor& g) {
                    if (rule_calls++ > 0) throw std::runtime_error("no second time");
                    return Grads{g * 2.0};
                  }};
  expect_in_all(throws, "the function or a rule threw: no second time");
  CHECK_THROWS_AS((void)gradcheck(twice_by(throws), {leaf(ones({2}, f64))}), AutogradError);
}

TEST_CASE("gradcheck: a rule that writes into what it saved is a line of the report") {
  const Op writes{
      .name = "writes", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        const NoGrad no_grad;
        s.input().detach().write<double>()[0] += 1;
        return Grads{g * 2.0};
      }};
  CHECK(mentions(gradcheck(twice_by(writes), {leaf(ones({3}, f64))}, quiet).problems,
                 "was written after the forward used it"));
}

TEST_CASE("gradcheck: a rule that writes into its gradient from its second call on is named") {
  expect_in_all({.name = "late_write",
                 .formula =
                     [](const Saved&, const Tensor& g) {
                       const Tensor dx = g * 2.0;
                       const NoGrad no_grad;
                       if (rule_calls++ > 0) g.write<double>()[0] = 7;
                       return Grads{dx};
                     }},
                "late_write writes into the gradient that it is given");
}

TEST_CASE("gradcheck: a rule that returns no gradient at its first call is the one named") {
  const Op once{.name = "once_nothing", .formula = [](const Saved&, const Tensor& g) {
                  return Grads{rule_calls++ > 0 ? g * 2.0 : Tensor()};
                }};
  rule_calls = 0;
  CHECK(mentions(gradcheck(twice_by(once), {leaf(ones({3}, f64))}, quiet).problems,
                 "over the same graph, first in once_nothing"));
}

TEST_CASE("gradcheck: a rule that returns no gradient where another path reaches the leaf") {
  const Op nothing{.name = "nothing",
                   .formula = [](const Saved&, const Tensor&) { return Grads{Tensor()}; }};
  const GradcheckReport report =
      gradcheck(twice_by(nothing), {leaf(tensor({1.0, 2.0, 3.0}, f64))}, quiet);
  CHECK(report.failed == 3);
  const Guesses guesses = diagnose(report);
  REQUIRE(guesses.size() == 1);
  CHECK(guesses[0].mistake == "a rule returns no gradient for its input 0");
  const GradcheckReport inside = gradcheck(
      [](const Tensors& in) {
        return Tensors{
            checkpoint([](const Tensors& x) { return exp(x[0].detach()) * x[1]; }, {in[0], in[1]})};
      },
      {leaf(ones({2}, f64)), leaf(ones({2}, f64))}, quiet);
  CHECK(diagnose(inside).at(0).reason.find("in a checkpoint, its function detaches it") !=
        std::string::npos);
}

TEST_CASE("gradcheck: a function whose outputs change at any one call throws nothing") {
  static const Op off{.name = "off",
                      .formula = [](const Saved&, const Tensor& g) { return Grads{g * 3.0}; }};
  const std::pair<const char*, std::function<Tensors(const Tensor&)>> changes[] = {
      {"none", [](const Tensor&) { return Tensors{}; }},
      {"undefined", [](const Tensor&) { return Tensors{Tensor()}; }},
      {"two",
       [](const Tensor& y) {
         return Tensors{y, y};
       }},
      {"shape", [](const Tensor& y) { return Tensors{y.narrow(0, 0, 1)}; }},
      {"dtype", [](const Tensor& y) { return Tensors{y.to(f32)}; }},
      {"detached", [](const Tensor& y) { return Tensors{y.detach()}; }},
      {"throws", [](const Tensor&) -> Tensors { throw std::runtime_error("now"); }}};
  const Tensor x = leaf(tensor({1.0, 2.0, 3.0}, f64));
  int call = 0, changed = 0;
  const auto reset = [&] { call = 0; };
  for (const auto& [name, change] : changes)
    for (const bool is_wrong : {false, true}) {
      CAPTURE(name);
      const TensorFunction f = [&](const Tensors& in) {
        const Tensor h = in[0] * in[0], y = is_wrong ? off.record(contiguous_copy(h), {h}) : h;
        return call++ == changed ? change(y) : Tensors{y};
      };
      for (changed = 0; changed < 130; ++changed) {
        const ThreeReports all = checked_three_ways(f, {x}, reset);
        if (is_wrong) {
          CHECK_FALSE(all.plain.ok);
          CHECK_FALSE(all.fast.ok);
        }
      }
    }
}

TEST_CASE("gradgradcheck: a function that detaches its output in the last call") {
  int call = 0, last = -1;
  const TensorFunction f = [&](const Tensors& in) {
    const Tensor y = in[0] * in[0];
    return Tensors{call++ == last ? y.detach() : y};
  };
  const Tensor x = leaf(tensor({1.0, 2.0, 3.0}, f64));
  REQUIRE(gradgradcheck(f, {x}, {}, quiet).ok);
  last = std::exchange(call, 0) - 1;
  CHECK(mentions(gradgradcheck(f, {x}, {}, quiet).problems, "by formulas, but 0 by kernels"));
}

TEST_CASE(
    "gradgradcheck: a formula or kernel without a gradient, and a kernel that gives infinity") {
  const auto right = [](const Saved& s, const Tensor& g) {
    return Grads{g * s.input(1), g * s.input(0)};
  };
  const auto half_empty = [](const Saved& s, const Tensor& g) {
    return Grads{Tensor(), g * s.input(0)};
  };
  const auto infinite = [](const Saved& s, const Tensor& g) {
    return Grads{g * s.input(1) / 0.0, g * s.input(0)};
  };
  const Tensor a = leaf(tensor({1.0, 2.0}, f64)), b = leaf(tensor({3.0, -1.0}, f64));
  const auto problem = [&](const Op& op) {
    const TensorFunction f = [&](const Tensors& in) {
      const NoGrad no_grad;
      const Tensor y = in[0] * in[1];
      const EnableGrad enable_grad;
      return Tensors{op.record(y, {in[0], in[1]})};
    };
    const GradcheckReport report = gradgradcheck(f, {a, b}, {ones({2}, f64)}, quiet);
    CHECK(!report.ok);
    return report.problems.empty() ? "" : report.problems[0];
  };
  const auto says = [&](const Op& op, const char* words) {
    const std::string found = problem(op);
    CHECK_MESSAGE(found.find(words) != std::string::npos, found);
  };
  says({.name = "a", .saves = saves_inputs, .formula = half_empty, .kernel = right},
       "element 0 is 0 by formulas, but 3 by kernels");
  says({.name = "b", .saves = saves_inputs, .formula = right, .kernel = half_empty},
       "element 0 is 3 by formulas, but 0 by kernels");
  says({.name = "c", .saves = saves_inputs, .formula = right, .kernel = infinite},
       "element 0 is 3 by formulas, but inf by kernels");
}

TEST_CASE("gradgradcheck: grad_outputs of another number or shape are refused") {
  const auto f = [](const Tensors& in) { return Tensors{in[0] * in[0]}; };
  const Tensor x = leaf(ones({3}, f64));
  CHECK_THROWS_WITH_AS((void)gradgradcheck(f, {x}, {x, x}, quiet),
                       "gradgradcheck: 2 grad_outputs for 1 floating-point outputs", UsageError);
  CHECK_THROWS_WITH_AS((void)gradgradcheck(f, {x}, {ones({2}, f64)}, quiet),
                       "gradgradcheck: grad_output 0 is float64 (2,), its output float64 (3,)",
                       UsageError);
}

TEST_CASE("gradgradcheck: an output that is not finite is said, also if its gradient is") {
  const auto log_sum = [](const Tensors& in) { return Tensors{sum(log(in[0]))}; };
  const GradcheckReport report =
      gradgradcheck(log_sum, {leaf(tensor({1.0, -2.0}, f64))}, {}, quiet);
  CHECK(!report.ok);
  CHECK(mentions(report.problems, "output 0, element 0 is nan: log made it from finite values"));
}

TEST_CASE("gradcheck_fast: a tape that is cut is said as in the full check") {
  const Tensor x = leaf(tensor({1.0, 2.0, 0.5}, f64)), w = leaf(tensor({2.0, 1.0, 3.0}, f64));
  const FastOptions quiet_fast{.raise_exception = false};
  const GradcheckReport one = gradcheck_fast([&] { return Tensors{exp(x.detach()) * w}; },
                                             {{"x", x}, {"w", w}}, quiet_fast);
  CHECK(one.failed == 3);
  CHECK(one.failures.empty());
  CHECK(mentions(one.problems, "the tape is cut: x does not reach output 0"));
  CHECK(mentions(one.problems, "(3 of 3 derivatives are not 0; that of direction 0 is "));
  CHECK(mentions(one.problems, "look for detach()"));
  CHECK(one.leaves.at(0).text() == "x 3 of 3 wrong, the tape is cut");
  const GradcheckReport all = gradcheck_fast(
      [&] {
        const NoGrad no_grad;
        return Tensors{tanh(x), log(x - 1.0)};
      },
      {{"x", x}}, quiet_fast);
  CHECK(mentions(all.problems, "; tanh runs without gradients (NoGrad)"));
  CHECK(mentions(all.problems, "output 1, element 0 is infinite: log made it"));
  CHECK(diagnose(all).empty());
}

TEST_CASE("gradcheck_fast: a leaf of which no direction could be checked is not ok") {
  const Tensor x = leaf(zeros({3}, f64)), w = leaf(ones({3}, f64));
  const GradcheckReport report = gradcheck_fast([&] { return Tensors{relu(x) + w}; },
                                                {{"x", x}, {"w", w}}, {.raise_exception = false});
  CHECK(report.leaves.at(0).text() == "x not checked");
  CHECK(report.leaves.at(1).text() == "w ok");
}

TEST_CASE("gradcheck: a nan that comes from infinities: both operations are named") {
  const Tensor x = leaf(tensor({1.0, 2.0}, f64));
  const auto problem = [&](const TensorFunction& f) {
    return gradcheck(f, {x}, quiet).problems.at(0);
  };
  CHECK(
      problem([](const Tensors& in) {
        const Tensor z = 1.0 / (in[0] - 1.0);
        return Tensors{z - z};
      })
          .starts_with("output 0, element 0 is nan: scalar_div made an infinity from finite values "
                       "(domain: x != 0), and sub makes nan of it"));
  const Tensor infinite = full({2}, INFINITY, f64);
  CHECK(problem([&](const Tensors& in) { return Tensors{(in[0] - 1.0) * infinite}; }) ==
        "output 0, element 0 is nan: an infinity came in as an input of mul, and mul makes nan of "
        "it");
}

TEST_CASE("gradcheck: rounding to bfloat16 in a rule is not taken for a rule that is not linear") {
  manual_seed(1);
  const Tensor x = leaf(rand({12}, f64) + 0.5), w = full({12, 5}, 0.3, f32);
  const TensorFunction rounds =
                           [](const Tensors&in) {
                             return Tensors{(in[0] * in[0]).to(bf16).to(f64) * 3.0};
                           },
                       product = [&](const Tensors&in) {
                         const Autocast autocast(bf16);
                         return Tensors{matmul(in[0].reshape({1, 12}).to(f32), w).to(f64)};
                       };
  for (const TensorFunction& f : {rounds, product}) {
    const GradcheckReport report = gradcheck(f, {x}, quiet);
    CHECK(!mentions(report.problems, "not linear"));
    CHECK(report.failed == 0);
    CHECK(mentions(report.problems, "could be checked"));
  }
}
