// Rules that keep state, write into their gradient or are not linear in it: gradcheck says which
// operation, and never says "ok".
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

namespace {

// y = x, with a rule of the test's own
Tensor with_rule(const Op& op, const Tensor& x) { return op.record(contiguous_copy(x), {x}); }

int calls = 0;

// 3 g, not 2 g, from some call on, or at the last call of each cycle; the function is 2 x
int calls_until_change = 0, calls_in_cycle = 0;
const Op changes_later{.name = "changes_later", .formula = [](const Saved&, const Tensor& g) {
                         return Grads{g * (calls++ < calls_until_change ? 2.0 : 3.0)};
                       }};
const Op changes_in_cycles{
    .name = "changes_in_cycles", .formula = [](const Saved&, const Tensor& g) {
      return Grads{g * (calls++ % calls_in_cycle < calls_in_cycle - 1 ? 2.0 : 3.0)};
    }};

// A right rule, but it overwrites the gradient that it was given.
const Op clobber{.name = "clobber", .formula = [](const Saved&, const Tensor& g) {
                   const Tensor dx = g * 1.0;
                   const NoGrad no_grad;
                   g.write<double>()[0] = 7;
                   return Grads{dx};
                 }};
const Op clips{.name = "clips", .formula = [](const Saved&, const Tensor& g) {
                 return Grads{clamp(g, -2, 2)};  // cotangents are smaller, so this changes nothing
               }};

}  // namespace

TEST_CASE("gradcheck: a rule that keeps state between calls is named, with both values") {
  calls_in_cycle = 2;
  for (const auto& [op, n] :
       {std::pair(&changes_later, 1), {&changes_later, 3}, {&changes_in_cycles, 0}})
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{3, 2}}) {
      CAPTURE(op->name);
      calls = 0;
      calls_until_change = n;
      const auto f = [op = op](const Tensors& in) {
        return Tensors{tanh(op->record(contiguous_copy(in[0] * 1.0) * 2.0, {in[0] * 1.0}))};
      };
      const GradcheckReport report = gradcheck(f, {leaf(full(shape, 0.5, f64))}, quiet);
      CHECK(!report.ok);
      CHECK(mentions(report.problems, "backward is not repeatable: input 0, element 0 was "));
      CHECK(mentions(report.problems, std::string("first in ") + op->name));
    }
}

TEST_CASE("gradcheck, gradgradcheck: at whichever of its first seven calls a rule changes") {
  const Tensor x = leaf(tensor({0.5, 0.2}, f64));
  const auto repeats = [&](const Op& op, bool twice) {
    const auto f = [&](const Tensors& in) {
      return Tensors{op.record(contiguous_copy(in[0] * 2.0), {in[0]})};
    };
    calls = 0;
    const GradcheckReport report =
        twice ? gradgradcheck(f, {x}, {}, quiet) : gradcheck(f, {x}, quiet);
    CHECK(report.failed == 0);
    CHECK(diagnose(report).empty());
    return report.ok ||
           !mentions(report.problems, "backward is not repeatable: input 0, element 0");
  };
  for (const bool twice : {false, true})
    for (int n = 1; n < 7; ++n) {
      calls_until_change = n;
      calls_in_cycle = n + 1;
      CAPTURE(twice);
      CAPTURE(n);
      CHECK_FALSE(repeats(changes_later, twice));
      CHECK_FALSE(repeats(changes_in_cycles, twice));
    }
}

TEST_CASE("gradcheck: a function, or in gradgradcheck a rule, that changes late has no numbers") {
  const Tensor x = leaf(tensor({0.5, 0.2, 1.0}, f64));
  int forwards = 0;
  const TensorFunction late_forward = [&](const Tensors& in) {
    return Tensors{in[0] * in[0] * (forwards++ < 6 ? 1.0 : 1.5)};
  };
  const auto says_so = [](const GradcheckReport& report) {
    CHECK(report.failed == 0);
    CHECK_MESSAGE(
        mentions(report.problems, "the function is not deterministic: output 0, element 0 was "),
        report.text());
  };
  says_so(gradcheck(late_forward, {x}, quiet));
  forwards = 0;
  says_so(
      gradcheck_fast([&] { return late_forward({x}); }, {{"x", x}}, {.raise_exception = false}));
  calls = 0;
  calls_until_change = 13;
  const TensorFunction late_rule = [](const Tensors& in) {
    return Tensors{changes_later.record(contiguous_copy(in[0] * 2.0), {in[0]})};
  };
  says_so(gradgradcheck(late_rule, {x}, {}, quiet));
}

TEST_CASE("gradcheck: a rule that writes into the gradient that it is given is named") {
  const Tensor x = leaf(tensor({1.0, 2.0, 3.0}).to(f64));
  const TensorFunction alone = [](const Tensors&in) { return Tensors{with_rule(clobber, in[0])}; },
                       summed =
                           [](const Tensors&in) {
                             return Tensors{with_rule(clobber, in[0]) + in[0]};
                           },
                       inside = [](const Tensors&in) {
                         const Tensor h = in[0] * 3.0;
                         return Tensors{exp(with_rule(clobber, h) + sin(h))};
                       };
  for (const TensorFunction& f : {alone, summed, inside})
    for (const bool formula : {false, true}) {
      const GradcheckReport report =
          gradcheck(f, {x}, {.raise_exception = false, .formula = formula});
      CHECK(!report.ok);
      CHECK(mentions(report.problems,
                     "clobber writes into the gradient that it is given: element 0 was "));
      CHECK(mentions(report.problems, "and is 7 after its rule"));
    }
}

TEST_CASE(
    "gradcheck: what else is wrong with a rule that writes into its gradient is said as well") {
  // dL/dh = 5 g, not 3 g, and g is spoilt for the leaf that shares it
  const Op both{.name = "both", .formula = [](const Saved&, const Tensor& g) {
                  const Tensor dx = g * 5.0;
                  const NoGrad no_grad;
                  g.write<double>()[0] = 7;
                  return Grads{dx};
                }};
  const Tensor x = leaf(tensor({1.0, 2.0, 3.0}).to(f64)),
               y = leaf(tensor({0.5, 0.25, 2.0}).to(f64));
  const TensorFunction f = [&](const Tensors& in) {
    return Tensors{both.record(contiguous_copy(in[0] * 3.0), {in[0]}) + in[1]};
  };
  for (const bool formula : {false, true}) {
    const GradcheckReport report =
        gradcheck(f, {x, y}, {.raise_exception = false, .formula = formula});
    CHECK(mentions(report.problems, "both writes into the gradient that it is given"));
    REQUIRE(report.leaves.size() == 2);
    CHECK(report.leaves[0].text() == "input 0 3 of 3 wrong, ratio 1.66667");
    CHECK(report.leaves[1].failed == 0);
    REQUIRE(!report.culprits.empty());
    CHECK(report.culprits[0].op == "both");
    const Guesses guesses = diagnose(report);
    CHECK(guesses.at(0).mistake == "a rule that writes into the gradient that it is given");
    CHECK(guesses.at(1).mistake == "a wrong constant");
  }
  const GradcheckReport fast = gradcheck_fast(
      [&] {
        return f({x, y});
      },
      {{"x", x}, {"y", y}}, {.raise_exception = false});
  CHECK(mentions(fast.problems, "both writes into the gradient that it is given"));
  REQUIRE(fast.leaves.size() == 2);
  CHECK(fast.leaves[0].failed > 0);
  CHECK(fast.leaves[1].failed == 0);
}

TEST_CASE("gradcheck: a rule that gives back the gradient that it wrote into is not compared") {
  const Op doubles{.name = "doubles", .formula = [](const Saved&, const Tensor& g) {
                     const NoGrad no_grad;
                     for (int64_t i = 0; i < g.numel(); ++i) g.write<double>()[i] *= 2;
                     return Grads{g};
                   }};
  const GradcheckReport report = gradcheck(
      [&](const Tensors& in) {
        return Tensors{doubles.record(contiguous_copy(in[0] * 2.0), {in[0]})};
      },
      {leaf(tensor({1.0, 2.0, 3.0}).to(f64))}, quiet);
  CHECK(mentions(report.problems, "doubles writes into the gradient that it is given"));
  CHECK(report.failed == 0);
  CHECK(report.checked == 0);
}

TEST_CASE("gradcheck: a rule that is not linear in its gradient is found") {
  const GradcheckReport report =
      gradcheck([](const Tensors& in) { return Tensors{with_rule(clips, in[0])}; },
                {leaf(rand({5}, f64))}, quiet);
  CHECK(!report.ok);
  CHECK(mentions(report.problems, "backward is not linear in the gradient that it is given"));
}

TEST_CASE("gradcheck: a rule that clips or drops large gradients is found, wherever it begins") {
  static double bound = 0;
  const Op clamps{.name = "clamps", .formula = [](const Saved&, const Tensor& g) {
                    return Grads{clamp(g, -bound, bound)};
                  }};
  const Op drops{.name = "drops", .formula = [](const Saved&, const Tensor& g) {
                   return Grads{masked_fill(g, abs(g) > bound, 0)};
                 }};
  const Tensor x = leaf(rand({200}, f64));
  for (bound = 3; bound < 2300; bound *= 1.3)
    for (const Op* op : {&clamps, &drops}) {
      CAPTURE(op->name);
      CAPTURE(bound);
      const GradcheckReport report =
          gradcheck([&](const Tensors& in) { return Tensors{with_rule(*op, in[0])}; }, {x}, quiet);
      CHECK_MESSAGE(mentions(report.problems, "not linear"), report.text());
    }
}

TEST_CASE("gradcheck: a rule that clips is found beside gradients a million times larger") {
  const Tensors in{rand({5}).set_requires_grad(), rand({5}).set_requires_grad()};
  const GradcheckReport report = gradcheck(
      [](const Tensors& x) { return Tensors{with_rule(clips, x[0]) + tanh(x[1] * 1e-6) * 1e6}; },
      in, quiet);
  CHECK_MESSAGE(mentions(report.problems, "not linear"), report.text());
}

TEST_CASE(
    "gradgradcheck: a rule that writes into its gradient, and outputs that change, are said") {
  const Tensor x = leaf(tensor({1., 2., 3.}, f64));
  const auto clobbers = [](const Tensors& in) {
    return Tensors{with_rule(clobber, in[0]) * in[0]};
  };
  CHECK(mentions(gradgradcheck(clobbers, {x}, {}, quiet).problems,
                 "clobber writes into the gradient that it is given"));
  int64_t n = 0;
  const auto shapes = [&](const Tensors& in) {
    return Tensors{(in[0] * in[0]).narrow(0, 0, n++ % 2 == 0 ? 3 : 2)};
  };
  CHECK(mentions(gradgradcheck(shapes, {x}, {}, quiet).problems, "its shape must not depend"));
  n = 0;
  const auto dtypes = [&](const Tensors& in) {
    return Tensors{(in[0] * in[0]).to(n++ == 0 ? f64 : f32)};
  };
  CHECK(mentions(gradgradcheck(dtypes, {x}, {}, quiet).problems, "was float64 (3,) at first"));
}
