// The likely mistake from the numbers: each kind is planted in an operation in the middle of a
// function.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>
#include <vector>

#include "planted.h"

using namespace slope;
using test::quiet;
using test::values;
using test::with_rule;

namespace {

using Rule = Grads (*)(const Saved& s, const Tensor& g);

struct Planted {
  const char* expected;  // in the likeliest guess
  Rule rule;
  Tensor (*forward)(const Tensors& x);
  std::vector<Dims> shapes = {{3, 4}};
  Attributes attributes = {};
};

Tensor square(const Tensors& x) { return x[0] * x[0]; }
Tensor product(const Tensors& x) { return x[0] * x[1]; }

const std::vector<Planted> all_planted{
    {"a wrong sign", [](const Saved& s, const Tensor& g) { return Grads{-2 * g * s.input()}; },
     square},
    {"a lost factor 2", [](const Saved& s, const Tensor& g) { return Grads{g * s.input()}; },
     square},
    {"an extra factor 9", [](const Saved& s, const Tensor& g) { return Grads{18 * g * s.input()}; },
     square},
    {"gives 0", [](const Saved& s, const Tensor& g) { return Grads{0 * g * s.input()}; }, square},
    {"should give 0", [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return sign(x[0]); }},
    {"a missing guard", [](const Saved&, const Tensor& g) { return Grads{g / 0.0}; }, square},
    {"a missing 1/n, or a sum in place of a mean, n = dim 1 = 5",
     [](const Saved& s, const Tensor& g) { return Grads{expand(g, s.input_shape())}; },
     [](const Tensors& x) { return mean(x[0], {1}, keepdim); },
     {{3, 5}}},
    {"an extra 1/n, or a mean in place of a sum, n = dim 0 = 3",
     [](const Saved& s, const Tensor& g) { return Grads{expand(g, s.input_shape()) / 3.0}; },
     [](const Tensors& x) { return sum(x[0], {0}, keepdim); },
     {{3, 5}}},
    {"n where n - 1 is meant, n = dim 0 = 6",
     [](const Saved& s, const Tensor& g) {
       return Grads{g * 2 * (s.input() - mean(s.input())) / 6.0};
     },
     [](const Tensors& x) { return var(x[0]); },
     {{6}}},
    {"a missing 1/sqrt(d), d = dim 1 = 7",
     [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return x[0] / std::sqrt(7.0); },
     {{2, 7}}},
    {"dropout's scale 1/(1 - p) is missing, p = 0.4",
     [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return x[0] / 0.6; },
     {{3, 4}},
     {{"p", 0.4}}},
    {"swapped operands",
     [](const Saved& s, const Tensor& g) {
       return Grads{g * s.input(0), g * s.input(1)};
     },
     product,
     {{3, 4}, {3, 4}}},
    {"x is missing", [](const Saved&, const Tensor& g) { return Grads{2 * g}; }, square},
    {"x once too often",
     [](const Saved& s, const Tensor& g) { return Grads{2 * g * s.input() * s.input()}; }, square},
    {"transposition of dims 0 and 1",
     [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return x[0].transpose(0, 1); },
     {{3, 3}}},
    {"dim 1 in reverse", [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return flip(x[0], {1}); }},
    {"dim 1 is shifted by", [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return roll(x[0], {1}, {1}); }},
    {"lost accumulation",
     [](const Saved&, const Tensor& g) {
       return Grads{cat({g.narrow(0, 0, 1), g.narrow(0, 2, 2)}, 0)};
     },
     [](const Tensors& x) {
       return cat({x[0].narrow(0, 0, 1), x[0].narrow(0, 0, 1), x[0].narrow(0, 1, 2)}, 0);
     },
     {{3}}},
    {"a missing mask, guard or comparison", [](const Saved&, const Tensor& g) { return Grads{g}; },
     [](const Tensors& x) { return relu(x[0]); }},
    {"swapped operands, another mask",
     [](const Saved&, const Tensor& g) { return Grads{triu(g, 1)}; },
     [](const Tensors& x) { return tril(x[0], 0); },
     {{4, 4}}},
    {"a term with a sum or mean over dim 1",
     [](const Saved& s, const Tensor& g) { return Grads{g * s.output()}; },
     [](const Tensors& x) { return softmax(x[0], 1); }},
    {"a wrong factor in the branch of x < 0",
     [](const Saved& s, const Tensor& g) { return Grads{where(s.input() > 0, g, 0.01 * g)}; },
     [](const Tensors& x) { return where(x[0] > 0, x[0], 0.2 * x[0]); },
     {{6, 4}}},
    {"a wrong sign where x < 0",
     [](const Saved& s, const Tensor& g) { return Grads{2 * g * s.input()}; },
     [](const Tensors& x) { return x[0] * abs(x[0]); },
     {{6, 4}}},
    {"swapped operands",
     [](const Saved& s, const Tensor& g) {
       const Tensor a = s.input(0), b = s.input(1);
       return Grads{matmul(g, transpose(a, 0, 1)), matmul(transpose(b, 0, 1), g)};
     },
     [](const Tensors& x) { return matmul(x[0], x[1]); },
     {{3, 3}, {3, 3}}},
    {"an index contracted in one operand only: g and the other operand are summed separately",
     [](const Saved& s, const Tensor& g) {
       const Tensor a = s.input(0), b = s.input(1);
       return Grads{unsqueeze(sum(g, {1}), 1) * sum(b, {1}), matmul(transpose(a, 0, 1), g)};
     },
     [](const Tensors& x) { return matmul(x[0], x[1]); },
     {{3, 4}, {4, 5}}},
    {"an index contracted in one operand only: dim 0 is summed and repeated",
     [](const Saved& s, const Tensor& g) {
       return Grads{unsqueeze(g, 1) * sum(s.input(1), {0}), unsqueeze(g, 1) * s.input(0)};
     },
     [](const Tensors& x) { return sum(x[0] * x[1], {1}); },
     {{4, 3}, {4, 3}}},
    {"a term is lost",
     [](const Saved& s, const Tensor& g) {
       return Grads{g * s.input(1), sum(g * s.input(0), {0})};
     },
     [](const Tensors& x) { return x[0] * x[1] + x[1]; },
     {{3, 4}, {4}}},
    {"lost accumulation",
     [](const Saved& s, const Tensor& g) { return Grads{matmul(g, transpose(s.input(), 0, 1))}; },
     [](const Tensors& x) { return matmul(x[0], x[0]); },
     {{4, 4}}},
};

}  // namespace

TEST_CASE("diagnosis: each class of mistake is recognised by its numbers") {
  for (const Planted& planted : all_planted) {
    CAPTURE(std::string(planted.expected));
    const Op op{.name = "planted", .saves = saves_inputs | saves_output, .formula = planted.rule};
    Tensors inputs;
    for (const Dims& shape : planted.shapes) inputs.push_back(values(shape, inputs.size() + 1));
    const GradcheckReport report = gradcheck(
        [&](const Tensors& in) {
          Tensors h;
          for (const Tensor& x : in) h.push_back(x * 1.5);
          return Tensors{tanh(with_rule(
                             op, [&] { return planted.forward(h); }, h, planted.attributes)) *
                         2.0};
        },
        inputs, quiet);
    REQUIRE_MESSAGE(!report.culprits.empty(), report.text());
    CHECK(report.culprits[0].op == "planted");
    const Guesses guesses = diagnose(report);
    REQUIRE(!guesses.empty());
    CHECK_MESSAGE(guesses[0].mistake.find(planted.expected) != std::string::npos, text_of(guesses));
  }
}

TEST_CASE("diagnosis: an element is compared with its own output if others were not checked") {
  // y_i = x_i + sum(x), the rule has no sum; element 1 was not checked
  Evidence e{.checked = 3,
             .failed = 3,
             .shape = {4},
             .elements = {0, 2, 3},
             .x = {1, 3, 4},
             .analytic = {1, 1, 1},
             .numeric = {5, 5, 5},
             .output_shape = {4}};
  for (const int64_t output : {0, 1, 2, 3})
    for (const int64_t element : e.elements) {
      e.by_rule.push_back(output == element);
      e.by_differences.push_back(1 + (output == element));
    }
  Guesses guesses;
  guess_jacobian(e, guesses);
  const std::string text = text_of(guesses);
  CHECK_MESSAGE(text.find("a term or one use is lost, which couples elements") != std::string::npos,
                text);
}
