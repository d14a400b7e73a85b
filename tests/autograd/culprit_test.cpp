// A failing check names the operation to blame, however deep it is in the function: mistakes are
// planted in the middle of functions, next to correct operations.
#include <doctest/doctest.h>

#include "planted.h"

using namespace slope;
using test::quiet;
using test::values;
using test::with_rule;

namespace {

const Op wrong_tanh{
    .name = "wrong_tanh", .saves = saves_output, .formula = [](const Saved& s, const Tensor& g) {
      return Grads{g * (1 - s.output())};
    }};
const Op wrong_scale{.name = "wrong_scale", .formula = [](const Saved& s, const Tensor& g) {
                       return Grads{g * s.number("factor")};
                     }};
const Op wrong_product{
    .name = "wrong_product", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
      return Grads{g * s.input(1), g * s.input(0) * 0.5};
    }};
const Op gives_nan{.name = "gives_nan",
                   .formula = [](const Saved&, const Tensor& g) { return Grads{g / 0.0}; }};
const Op cube{
    .name = "cube", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
      return Grads{3 * g * (s.input() * s.input()).detach()};
    }};

Tensor doubled(const Tensor& x, double factor = 2) {
  return with_rule(wrong_scale, [&] { return x * 2.0; }, {x}, {{"factor", factor}});
}

}  // namespace

TEST_CASE("culprit: the operation in the middle is named, not the last one; its elements are") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = matmul(exp(in[0] * 0.3), in[1]);
        const Tensor t = with_rule(wrong_tanh, [&] { return tanh(h); }, {h});
        return Tensors{sum(softmax(t, 1) * t)};
      },
      {values({2, 3}), values({3, 4}, 2)}, quiet);
  CHECK(report.failures.at(0).op == "sum");
  REQUIRE(report.culprits.size() == 1);
  const GradcheckCulprit& culprit = report.culprits[0];
  CHECK(culprit.op == "wrong_tanh");
  CHECK(culprit.calls == 1);
  REQUIRE(culprit.inputs.size() == 1);
  CHECK(culprit.inputs[0].checked == 8);
  CHECK(culprit.inputs[0].failed == 8);
  CHECK(
      report.text().find("culprit: wrong_tanh: checked alone on the values that it met, input 0 8 "
                         "of 8 wrong") != std::string::npos);
}

TEST_CASE("culprit: a wrong constant is seen through the noise of float32") {
  const Op wrong_exp{
      .name = "wrong_exp", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * exp(s.input()) * 1.05};
      }};
  for (const DType dtype : {f32, f64}) {
    CAPTURE(name(dtype));
    const GradcheckReport report = gradcheck(
        [&](const Tensors& in) {
          const Tensor h = in[0].to(dtype);
          return Tensors{with_rule(wrong_exp, [&] { return exp(h); }, {h})};
        },
        {values({30}, 5)}, quiet);
    CHECK(report.text().find("likely a wrong constant") != std::string::npos);
  }
}

TEST_CASE("culprit: which input's derivative is wrong, and by which ratio") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor a = in[0] * 2.0, b = sin(in[1]);
        return Tensors{exp(with_rule(wrong_product, [&] { return a * b; }, {a, b}))};
      },
      {values({5}), values({5}, 2)}, {.raise_exception = false});
  REQUIRE(report.culprits.size() == 1);
  // a line of callers may follow if the program has its symbols
  CHECK(report.culprits[0].text().starts_with(
      "culprit: wrong_product: checked alone on the values that it met, input 0 ok · input 1 5 of "
      "5 wrong, ratio 0.5"));
}

TEST_CASE("culprit: leaves, views of them, and one tensor used twice can be moved alone") {
  const Tensor x = values({3, 3});
  const auto product = [](const Tensor& a, const Tensor& b) {
    return with_rule(wrong_product, [&] { return a * b; }, {a, b});
  };
  for (const TensorFunction& f : {
           TensorFunction([&](const Tensors& in) { return Tensors{product(in[0], in[0])}; }),
           TensorFunction(
               [&](const Tensors& in) { return Tensors{product(in[0].transpose(0, 1), in[0])}; }),
           TensorFunction([&](const Tensors& in) {
             return Tensors{product(in[0].narrow(0, 0, 1), in[0].narrow(0, 1, 1) * 1.0)};
           }),
       }) {
    const std::vector<double> before = x.to_vector();
    const GradcheckReport report = gradcheck(f, {x}, quiet);
    REQUIRE(report.culprits.size() == 1);
    CHECK(report.culprits[0].op == "wrong_product");
    CHECK(!report.culprits[0].failures.empty());
    CHECK(x.to_vector() == before);
  }
}

TEST_CASE("culprit: several, each named once, with the number of its calls") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = doubled(doubled(doubled(in[0]) + 1.0, 3), 3);
        return Tensors{with_rule(wrong_tanh, [&] { return tanh(h); }, {h})};
      },
      {values({4})}, quiet);
  REQUIRE(report.culprits.size() == 2);
  for (const GradcheckCulprit& culprit : report.culprits) {
    const bool is_scale = culprit.op == "wrong_scale";
    CHECK((is_scale || culprit.op == "wrong_tanh"));
    CHECK(culprit.calls == (is_scale ? 2 : 1));
  }
}

TEST_CASE("culprit: a rule that gives nan is named, not what multiplies it") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = in[0] * 2.0;
        return Tensors{exp(with_rule(gives_nan, [&] { return h * 1.0; }, {h}))};
      },
      {values({3})}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "gives_nan");
}

TEST_CASE("culprit: a value that was detached, at the operation that takes it") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = in[0] * 2.0;
        return Tensors{exp(h) * sin(h).detach() + in[0]};
      },
      {values({3})}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].is_cut);
  CHECK(report.culprits[0].cut_input == 1);
  CHECK(report.culprits[0].text().find("the tape is cut before mul: its input 1 changes, but "
                                       "carries no gradient") != std::string::npos);
}

TEST_CASE("culprit: a number that item() took, also from the input of the operation itself") {
  const std::pair<TensorFunction, const char*> functions[] = {
      {[](const Tensors& in) { return Tensors{in[0] * sum(in[0]).item()}; }, "mul_scalar"},
      {[](const Tensors& in) { return Tensors{in[0] + max(in[0]).item()}; }, "add_scalar"},
      {[](const Tensors& in) { return Tensors{exp(in[0] - mean(in[0]).item())}; }, "add_scalar"},
      {[](const Tensors& in) { return Tensors{tanh(exp(in[0]) * sum(in[0]).item())}; },
       "mul_scalar"}};
  for (const auto& [f, op] : functions) {
    const GradcheckReport report = gradcheck(f, {values({2, 3})}, quiet);
    REQUIRE(report.culprits.size() == 1);
    CHECK(report.culprits[0].is_cut);
    const std::string text = report.culprits[0].text();
    CHECK_MESSAGE(text.find(fmt::format("the tape is cut before {}: its number", op)) != text.npos,
                  text);
  }
}

TEST_CASE("culprit: a wrong rule is named although a number of the call moves too") {
  const TensorFunction f = [](const Tensors& in) {
    const double c = sum(in[1]).item();
    return Tensors{with_rule(wrong_scale, [&] { return in[0] * c; }, {in[0]}, {{"factor", 2 * c}}) +
                   in[1]};
  };
  const GradcheckReport report = gradcheck(f, {values({2, 3}), values({2, 3}, 2)}, quiet);
  REQUIRE(report.culprits.size() >= 1);
  CHECK(report.culprits[0].op == "wrong_scale");
  CHECK(!report.culprits[0].is_cut);
}

TEST_CASE("culprit: a detached value that cancels is no mistake") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor m = max(in[0]).detach();
        return Tensors{doubled(log(sum(exp(in[0] - m))) + m, 3)};
      },
      {values({4})}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "wrong_scale");
  CHECK(!report.culprits[0].is_cut);
}

TEST_CASE("culprit: detached values that cancel, in more operations than are named") {
  const GradcheckReport report = gradcheck(
      [](const Tensors& in) {
        const Tensor h = doubled(in[0], 10), m = max(h).detach(), c = exp(m);
        return Tensors{(log(sum(exp(h - m))) + m) * c / c};
      },
      {values({4})}, quiet);
  REQUIRE(report.culprits.size() == 1);
  CHECK(report.culprits[0].op == "wrong_scale");
  CHECK(!report.culprits[0].is_cut);
}

TEST_CASE("culprit: one for all wrong calls of an operation, and one for its cuts") {
  static const Op product{
      .name = "product", .saves = saves_inputs, .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * s.input(1) * s.number("factor"), g * s.input(0)};
      }};
  const auto times = [](const Tensor& a, const Tensor& b, double factor) {
    return with_rule(product, [&] { return a * b; }, {a, b}, {{"factor", factor}});
  };
  const GradcheckReport right_but_cut = gradcheck(
      [&](const Tensors& in) {
        const Tensor h = in[0] * 1.0, cut = (h * 1.0).detach();
        Tensor y = times(h, cut, 1) * 4.0;
        for (int i = 0; i < 4; ++i) y = y + times(h, h, 2);
        return Tensors{y + 4.0 * with_rule(wrong_tanh, [&] { return tanh(h); }, {h})};
      },
      {values({4})}, quiet);
  REQUIRE(right_but_cut.culprits.size() == 3);
  CHECK(right_but_cut.culprits[0].op == "product");
  CHECK(right_but_cut.culprits[0].is_cut);
  CHECK(right_but_cut.culprits[1].op == "product");
  CHECK(!right_but_cut.culprits[1].is_cut);
  CHECK(right_but_cut.culprits[1].calls == 4);
  CHECK(right_but_cut.culprits[2].op == "wrong_tanh");

  const GradcheckReport wrong_and_cut = gradcheck(
      [&](const Tensors& in) {
        const Tensor h = in[0] * 1.0, cut = (h * 1.0).detach();
        Tensor y = times(h, cut, 3);
        for (int i = 0; i < 4; ++i) y = y + times(h, cut, 3);
        return Tensors{y};
      },
      {values({4})}, quiet);
  REQUIRE(wrong_and_cut.culprits.size() == 1);
  CHECK(!wrong_and_cut.culprits[0].is_cut);
  CHECK(wrong_and_cut.culprits[0].calls == 5);
}

TEST_CASE("culprit: of second order, the rule in which it lies") {
  const GradcheckReport report = gradgradcheck(
      [](const Tensors& in) {
        const Tensor h = sin(in[0]);
        return Tensors{exp(with_rule(cube, [&] { return h * h * h; }, {h}))};
      },
      {values({3})}, {}, quiet);
  REQUIRE(!report.culprits.empty());
  CHECK(report.culprits[0].is_cut);
  CHECK(report.culprits[0].place == "mul in the rule of cube");
}

TEST_CASE("culprit: leaves in one table; what agrees has no culprit") {
  const Tensor w = values({2, 2}), k = values({2, 2}, 2), unused = values({1}, 3);
  const NamedTensors leaves{{"w", w}, {"k", k}, {"unused", unused}};
  const GradcheckReport report =
      gradcheck([&] { return Tensors{matmul(w, doubled(k, 1))}; }, leaves, quiet);
  REQUIRE(report.leaves.size() == 3);
  CHECK(report.leaves[1].failed == 4);
  CHECK(report.text().find("\n  w ok · k 4 of 4 wrong, ratio 0.5 · unused ok") !=
        std::string::npos);
  const GradcheckReport right = gradcheck([&] { return Tensors{matmul(w, k)}; }, leaves, quiet);
  CHECK(right.culprits.empty());
  CHECK(right.text() == "ok: 9 derivatives agree");
}
