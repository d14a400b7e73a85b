// Rules that are right as far as one pass through one output for all leaves shows: gradcheck asks
// for parts, for all at once, and for other gradients.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/core/loops/copy.h>

#include "gradcheck.h"

#include <cmath>

using namespace slope;
using test::leaf;
using test::mentions;
using test::quiet;

namespace {

// What both checks say of f at x.
template <class Says>
void check_both(const TensorFunction& f, const Tensors& inputs, const Says& says) {
  NamedTensors leaves;
  for (size_t i = 0; i < inputs.size(); ++i)
    leaves.push_back({fmt::format("input {}", i), inputs[i]});
  says(gradcheck(f, inputs, quiet));
  says(gradcheck_fast([&] { return f(inputs); }, leaves, {.raise_exception = false}));
}

Tensor square_of(const Tensor& x) {
  const NoGrad no_grad;
  return x.detach() * x.detach();
}

// y = x x, with rules that depend on the size of g
using Rule = Grads (*)(const Saved& s, const Tensor& g);
Tensor twice(const Saved& s) { return 2.0 * s.input(); }
const Rule rules_of_size[] = {
    [](const Saved& s, const Tensor& g) {
      return Grads{where(abs(g) < 1e-3, zeros_like(g), g * twice(s))};
    },
    [](const Saved& s, const Tensor& g) {
      return Grads{where(abs(g) < 1e-9, zeros_like(g), g * twice(s))};
    },
    [](const Saved& s, const Tensor& g) { return Grads{clamp(g, -1e4, 1e4) * twice(s)}; },
    [](const Saved& s, const Tensor& g) { return Grads{g * g / g * twice(s)}; },
    [](const Saved& s, const Tensor& g) {
      const Tensor most = amax(abs(g));
      return Grads{g / most * most * twice(s)};
    },
};

// y = x w, wrong where the gradient of one factor alone is wanted
const Op needs_both{
    .name = "needs_both", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
      const double factor = s.needs(0) && s.needs(1) ? 1 : 2;
      return Grads{g * s.input(1) * factor, g * s.input(0)};
    }};

// sin x and cos x; of both gradients the rule uses the first
const Op first_of_two{
    .name = "first_of_two", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
      const Tensor x = s.input();
      return Grads{g.defined() ? g * cos(x) : -s.grad(1) * sin(x)};
    }};

// y = x x; the rule reads what the last forward pass left
Tensor last;
const Op reads_last{.name = "reads_last",
                    .formula = [](const Saved&, const Tensor& g) { return Grads{g * 2.0 * last}; }};

}  // namespace

TEST_CASE("gradcheck: a rule that clips large, drops small or divides by gradients is not linear") {
  for (const Rule rule : rules_of_size)
    for (const DType dtype : {f64, f32}) {
      const Op op{.name = "of_size", .saves = saves_inputs, .formula = rule};
      const auto f = [&](const Tensors& in) {
        return Tensors{op.record(square_of(in[0]), {in[0]})};
      };
      check_both(f, {leaf(tensor({0.5, 1.5, -0.7}, dtype))}, [](const GradcheckReport& report) {
        CHECK_MESSAGE(mentions(report.problems, "backward is not linear in the gradient"),
                      report.text());
      });
    }
}

TEST_CASE("gradcheck: an infinite derivative does not hide that a rule is not linear") {
  const Op op{.name = "of_size", .saves = saves_inputs, .formula = rules_of_size[2]};
  const auto f = [&](const Tensors& in) {
    return Tensors{op.record(square_of(in[0]), {in[0]}) + sqrt(in[0])};
  };
  const GradcheckReport report = gradcheck(f, {leaf(tensor({0.5, 0.0, 0.7}, f64))}, quiet);
  CHECK_MESSAGE(mentions(report.problems, "backward is not linear in the gradient"), report.text());
}

TEST_CASE("gradcheck: a rule that is wrong where one input's gradient alone is wanted") {
  const auto f = [](const Tensors& in) {
    const NoGrad no_grad;
    Tensor y = in[0].detach() * in[1].detach();
    const EnableGrad enable_grad;
    return Tensors{needs_both.record(y, {in[0], in[1]})};
  };
  const Tensors inputs{leaf(tensor({0.5, 1.5}, f64)), leaf(tensor({0.3, -0.4}, f64))};
  check_both(f, inputs, [](const GradcheckReport& report) {
    CHECK_MESSAGE(
        mentions(report.problems, "backward depends on what is asked for: input 0, element 0 is "),
        report.text());
    CHECK(report.failed == 0);  // asked for both, it is right
  });
}

TEST_CASE("gradcheck: a rule that uses the gradient of one output where there are two") {
  const auto f = [](const Tensors& in) {
    const Tensor x = in[0].detach();
    return first_of_two.record({sin(x), cos(x)}, {in[0]});
  };
  check_both(f, {leaf(tensor({0.5, 1.5}, f64))}, [](const GradcheckReport& report) {
    CHECK_MESSAGE(mentions(report.problems, "in one pass through all outputs"), report.text());
    CHECK(report.failed == 0);
  });
}

TEST_CASE("gradcheck: a rule that reads what the last forward pass left, not what it saved") {
  const auto f = [](const Tensors& in) {
    last = contiguous_copy(in[0].detach());
    return Tensors{reads_last.record(square_of(in[0]), {in[0]})};
  };
  check_both(f, {leaf(tensor({0.5, 1.5}, f64))}, [](const GradcheckReport& report) {
    CHECK_MESSAGE(mentions(report.problems, "between the two the function ran with other inputs"),
                  report.text());
  });
  last = {};
}

TEST_CASE("gradcheck: functions that are not defined a little further are checked where they are") {
  const auto strict = [](const Tensors& in) {
    if (in[0].detach().to_vector()[0] > 0.50001) throw std::runtime_error("beyond 0.5");
    return Tensors{in[0] * in[0]};
  };
  CHECK(gradcheck(strict, {leaf(tensor({0.5, 1.5}, f64))}, quiet).ok);
}
