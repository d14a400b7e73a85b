// Rules that are right as far as one pass through one output for all leaves shows: gradcheck asks
// for parts, for all at once, and for other gradients.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>

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

TEST_CASE("gradcheck: an infinite derivative does not hide what depends on the parts") {
  const auto with_root = [](const TensorFunction& f) {
    return [f](const Tensors& in) {
      Tensors y = f(in);
      for (Tensor& each : y) each = each + sqrt(in[0]);
      return y;
    };
  };
  const auto alone = with_root([](const Tensors& in) {
    const Tensor y = in[0].detach() * in[1].detach();
    return Tensors{needs_both.record(y, {in[0], in[1]})};
  });
  const auto together = with_root([](const Tensors& in) {
    const Tensor x = in[0].detach();
    return first_of_two.record({sin(x), cos(x)}, {in[0]});
  });
  const auto x = [] { return leaf(tensor({0.5, 0.0, 1.5}, f64)); };
  for (const GradcheckReport& report :
       {gradcheck(alone, {x(), leaf(tensor({0.3, -0.4, 0.2}, f64))}, quiet),
        gradcheck(together, {x()}, quiet)})
    CHECK_MESSAGE(mentions(report.problems, "backward depends on what is asked for"),
                  report.text());
}

TEST_CASE("gradcheck: a rule that loses the sign of its gradient, where that is one number") {
  const Op op{.name = "of_size",
              .saves = saves_inputs,
              .formula = [](const Saved& s, const Tensor& g) { return Grads{abs(g) * twice(s)}; }};
  for (uint64_t seed = 0; seed < 10; ++seed) {
    GradcheckOptions options = quiet;
    options.seed = seed;
    const auto f = [&](const Tensors& in) {
      return Tensors{mean(op.record(square_of(in[0]), {in[0]}))};
    };
    CHECK_FALSE(gradcheck(f, {leaf(tensor({0.5, 1.5}, f64))}, options).ok);
  }
}

TEST_CASE("gradcheck: multiples of a gradient stay in the range of float32") {
  const TensorFunction right[] = {
      [](const Tensors& in) {
        const Tensor e = exp(in[0]);
        return Tensors{e / sum(e)};
      },
      [](const Tensors& in) { return Tensors{log(sum(exp(-in[0])))}; },
      [](const Tensors& in) { return Tensors{sqrt(var(in[0] * 1e-18)) / 1e-18}; },
  };
  for (const TensorFunction& f : right)
    check_both(f, {leaf(tensor({79.0, 80.0, 80.5}, f32))}, [](const GradcheckReport& report) {
      CHECK_MESSAGE(report.problems.empty(), report.text());
    });
  check_both(right[1], {leaf(tensor({700.0, 701.0}, f64))},
             [](const GradcheckReport& report) { CHECK_MESSAGE(report.ok, report.text()); });
}

TEST_CASE("gradcheck: what rounding leaves of cancelled terms is no dependence on the parts") {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    manual_seed(seed);
    const Tensor x = randn({16, 3}) * 2000.0, b = leaf(randn({4})), w = leaf(randn({4, 3}));
    const auto normed = [](const Tensor& y) {  // the bias cancels, and so does its gradient
      return (y - mean(y, {0}, true)) / sqrt(var(y, {0}, 0, true) + 1e-5);
    };
    const auto f = [&](const Tensors& in) {
      const Tensor y = normed(linear(x, in[1], in[0]));
      return Tensors{sum(y * y * y), mean(sin(y)), tanh(y)};
    };
    check_both(f, {b, w}, [](const GradcheckReport& report) {
      CHECK_MESSAGE(!mentions(report.problems, "backward"), report.text());
    });
  }
}

TEST_CASE("gradcheck: rounding is measured where it happens, beside zeros and infinities") {
  for (const int64_t n : {4, 20000})
    for (const bool has_root : {false, true}) {
      manual_seed(3);
      Tensor x = rand({n}) + 0.5;
      if (has_root) x.write<float>()[0] = 0;
      GradcheckOptions options = quiet;
      options.sample = 3;
      const auto f = [has_root](const Tensors& in) {
        const Tensor part = in[0].narrow(0, 0, 4);
        const Tensor y = (part * 3.0) * 333333.4 - part * 1e6;
        return Tensors{has_root ? y + sqrt(part) : y};
      };
      const GradcheckReport report = gradcheck(f, {leaf(x)}, options);
      CHECK_MESSAGE(!mentions(report.problems, "backward is not linear"), report.text());
    }
}

TEST_CASE("gradcheck: stairs that float64 makes of large numbers are no zeros") {
  for (const double large : {1e9, 1e11, 1e12})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      manual_seed(seed);
      const auto f = [large](const Tensors& in) {
        return Tensors{sin((in[0].detach() + large) - large), in[0] * in[0]};
      };
      CHECK_FALSE(gradcheck(f, {leaf(randn({6}, f64))}, quiet).ok);
    }
}

TEST_CASE("gradcheck_fast: a bias before batch_norm, whose gradient is 0, is checked in float64") {
  manual_seed(5);
  const Tensor x = randn({8, 3}, f64), b = leaf(randn({4}, f64)), w = leaf(randn({4, 3}, f64));
  const auto f = [&] {
    const Tensor y = linear(x, w, b);
    const Tensor z = (y - mean(y, {0}, true)) / sqrt(var(y, {0}, 0, true) + 1e-5);
    return Tensors{sum(z * z * z)};
  };
  const GradcheckReport report =
      gradcheck_fast(f, {{"b", b}, {"w", w}}, {.raise_exception = false});
  CHECK_MESSAGE(report.ok, report.text());
}
