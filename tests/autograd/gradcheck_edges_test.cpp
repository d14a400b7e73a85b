// Reports about functions at the edge of what differences and evidence can tell: infinities on the
// way, other paths, bfloat16, exceptions, inputs without dims or with many.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>
#include <stdexcept>
#include <utility>

#include "planted.h"

using namespace slope;
using test::leaf;
using test::quiet;
using test::values;
using test::with_rule;
using test::wrong_formula;

namespace {

// y = a b, with half the gradient of b
const Op half_product{
    .name = "half_product", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
      return Grads{g * s.input(1), g * s.input(0) * 0.5};
    }};
Tensor half(const Tensor& a, const Tensor& b) {
  return with_rule(half_product, [&] { return a * b; }, {a, b});
}

}  // namespace

TEST_CASE("culprit: an infinity on the way is no mistake of the operations around it") {
  static const Op half_mask{
      .name = "half_mask", .saves = saves_output, .formula = [](const Saved& s, const Tensor& g) {
        return Grads{masked_fill(g * 0.5, s.output() == -INFINITY, 0)};
      }};
  const Tensor mask = tensor({{true, false, false}, {false, true, false}});
  const TensorFunction wrong_after = [&](const Tensors& in) {
    const Tensor p = softmax(masked_fill(matmul(in[0], in[1]), mask, -INFINITY), 1);
    return Tensors{half(p, p)};
  };
  const TensorFunction wrong_mask = [&](const Tensors& in) {
    const Tensor h = matmul(in[0], in[1]);
    return Tensors{
        softmax(with_rule(half_mask, [&] { return masked_fill(h, mask, -INFINITY); }, {h}), 1)};
  };
  const std::pair<const TensorFunction&, const char*> functions[] = {{wrong_after, "half_product"},
                                                                     {wrong_mask, "half_mask"}};
  for (const auto& [f, op] : functions) {
    const GradcheckReport report = gradcheck(f, {values({2, 3}), values({3, 3}, 2)}, quiet);
    REQUIRE(report.culprits.size() == 1);
    CHECK(report.culprits[0].op == op);
    REQUIRE(report.culprits[0].inputs.size() == 1);
    CHECK(report.culprits[0].inputs[0].checked == 6);
    CHECK(report.culprits[0].inputs[0].failed == 4);  // both derivatives are 0 where the mask is
  }
}

TEST_CASE("culprit: a function that takes another path when an element moves far") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor w = ones({in[0].item() < 0.2 ? 100 : 1}, f64);
        return Tensors{sum(half(w, in[0]))};
      },
      {leaf(tensor({0.1}).to(f64))}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "half_product");
  REQUIRE(report.culprits[0].failures.size() == 1);
  CHECK(report.culprits[0].failures[0].ratio() == doctest::Approx(0.5));
}

TEST_CASE("culprit: none if the moved function records other nodes") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = in[0].item() > 0.5 ? in[0].detach() : in[0];
        return Tensors{half(h * 1.0, in[0] * 1.0)};
      },
      {leaf(tensor({0.5}).to(f64))}, quiet);
  CHECK(report.failed == 1);
  CHECK(report.culprits.empty());
}

TEST_CASE("culprit: an operation without outputs, whose node is gone at once") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        (void)unbind(in[0].narrow(0, 0, 0), 0);
        const Tensor h = in[0] * 2.0;
        return Tensors{half(h, h)};
      },
      {values({3, 2})}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "half_product");
  CHECK(report.culprits[0].failures.size() == 6);
}

TEST_CASE("culprit: strides are to blame only if the same rule is right without, with NoGrad too") {
  static const Op wrong_strides{.name = "wrong_strides",
                                .saves = saves_input(),
                                .formula = [](const Saved& s, const Tensor& g) {
                                  const Tensor x = s.input();
                                  return Grads{(x.is_contiguous() ? 2.0 : 3.0) * g * x};
                                }};
  GradcheckOptions options = quiet;
  options.formula = true;
  for (const Op* op : {&wrong_formula, &wrong_strides}) {
    const TensorFunction f = [&](const Tensors& in) {
      const EnableGrad enable_grad;
      const Tensor h = (in[0] * 1.0).transpose(0, 1);
      return Tensors{with_rule(*op, [&] { return h * h; }, {h})};
    };
    const Tensor x = values({2, 3});
    const NoGrad no_grad;
    const GradcheckReport report = gradcheck(f, {x}, options);
    REQUIRE(report.culprits.size() == 1);
    CHECK(report.culprits[0].op == op->name);
    REQUIRE(report.culprits[0].inputs.size() == 1);
    CHECK(report.culprits[0].inputs[0].failed == 6);
    CHECK(report.culprits[0].inputs[0].only_strided == (op == &wrong_strides));
  }
}

TEST_CASE("culprit: a bfloat16 step on the way is rounding, and the wrong operation is named") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = in[0] * 1.0;
        return Tensors{half(h, h) + 0.1 * h.to(bf16).to(f64)};
      },
      {leaf(tensor({0.7, -1.3, 2.1}).to(f64))}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "half_product");
  REQUIRE(report.culprits[0].failures.size() == 3);
  CHECK(report.culprits[0].failures[0].ratio() == doctest::Approx(0.75));
}

TEST_CASE("culprit: a function that throws during the search leaves its inputs as they were") {
  const Tensor x = values({2, 2});
  const std::vector<double> before = x.to_vector();
  int calls = 0, last = 0;
  const TensorFunction f = [&](const Tensors& in) {
    const Tensor a = in[0].transpose(0, 1), b = a.transpose(0, 1);  // both in the leaf's memory
    if (++calls == last) throw std::runtime_error("the last call");
    return Tensors{half(b, a)};
  };
  GradcheckOptions options = quiet;
  options.find_smallest = false;  // so that the last call is one of the search
  REQUIRE(gradcheck(f, {x}, options).culprits.size() == 1);
  last = std::exchange(calls, 0);
  const GradcheckReport report = gradcheck(f, {x}, options);
  CHECK(report.failed > 0);
  CHECK(test::mentions(report.problems, "the function or a rule threw: the last call"));
  CHECK(x.to_vector() == before);
}

TEST_CASE("diagnosis: an infinite derivative of an input without dims") {
  static const Op infinite{
      .name = "infinite", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * s.input(1), sum(g * s.input(0)) / 0.0};
      }};
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor t = in[1] * 1.0;
        return Tensors{with_rule(infinite, [&] { return in[0] * t; }, {in[0], t})};
      },
      {values({3}), values({}, 2)}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "infinite");
  const Guesses guesses = diagnose(report);
  REQUIRE(!guesses.empty());
  CHECK(guesses[0].mistake == "0/0 or 0 times infinity in the rule: a missing guard");
}

TEST_CASE("diagnosis: a transposition among many dims of size 1") {
  Dims shape(16, 1);
  shape[3] = shape[12] = 2;
  const Evidence e{.checked = 4,
                   .failed = 2,
                   .shape = shape,
                   .elements = {0, 1, 2, 3},
                   .analytic = {1, 3, 2, 4},
                   .numeric = {1, 2, 3, 4},
                   .output_shape = shape};
  Guesses guesses;
  guess_order(e, guesses);
  REQUIRE(guesses.size() == 1);
  CHECK(guesses[0].mistake == "a missing or extra transposition of dims 3 and 12");
}

TEST_CASE("diagnosis: the printed inputs are C++ also if they are infinite, nan or -0") {
  const TensorFunction f = [](const Tensors& in) {
    (void)in[1].narrow(0, 0, 4);  // so that no element is left out
    return Tensors{half(in[0], in[0])};
  };
  const Tensor constant = from_vector<double>({NAN, -INFINITY, INFINITY, -0.0}, {4});
  const GradcheckReport report = gradcheck(f, {leaf(tensor({0.5}).to(f64)), constant}, quiet);
  const std::string printed = "from_vector<double>({NAN, -INFINITY, INFINITY, -0.0}, {4})";
  CHECK_MESSAGE(report.smallest.find(printed) != std::string::npos, report.smallest);
  CHECK(report.text().find("    #include <cmath>\n") != std::string::npos);
}

TEST_CASE("gradcheck: rounding of float32 that is alike at close steps is no mistake") {
  const Tensor x = tensor({10.f, 2.f, 3.f, 9.f}).set_requires_grad();
  CHECK(gradcheck([](const Tensors& in) { return Tensors{softmax(in[0], 0)}; }, {x},
                  {.raise_exception = false})
            .ok);
}

TEST_CASE("gradcheck: a function that itself differentiates, such as a gradient penalty") {
  const auto cube_slope = [](const Tensors& in) {
    const Tensor y = sum(in[0] * in[0] * in[0]);
    return grad({y}, {in[0]}, {.create_graph = true});
  };
  const Tensor x = tensor({0.5, -1.5}).set_requires_grad();
  CHECK(gradcheck(cube_slope, {x}, {.raise_exception = false}).ok);
}

TEST_CASE("gradgradcheck: a wrong formula beside a right kernel is found and named") {
  const TensorFunction f = [](const Tensors& in) {
    const Tensor h = in[0] * 2.0;
    return Tensors{with_rule(wrong_formula, [&] { return h * h; }, {h})};
  };
  const Tensor x = leaf(tensor({1.0, -2.0}).to(f64)), u = leaf(tensor({1.0, 1.0}).to(f64));
  CHECK(gradcheck(f, {x}, quiet).ok);  // it checks what backward runs
  const GradcheckReport report = gradgradcheck(f, {x}, {u}, quiet);
  CHECK(!report.ok);
  REQUIRE(report.problems.size() == 1);
  CHECK_MESSAGE(report.problems[0].find("gradient 0, element 0 is 12 by formulas, but 8 by "
                                        "kernels") != std::string::npos,
                report.problems[0]);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "wrong_formula");
  CHECK_THROWS_AS((void)gradgradcheck(f, {x}, {u}), AutogradError);
}
