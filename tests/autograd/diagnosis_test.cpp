// The likely mistake from the numbers: each kind is planted in an operation in the middle of a
// function.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/cases/function_check.h>
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

namespace {

// Each case decides what fails: a kernel, a formula, a layout, an option.
FunctionCheck check_of(Tensor (*f)(const Tensor& x)) {
  return check_function(
      "planted",
      {{"planted", "matrix", {{{3, 4}}}, [f](const Tensors& x) { return Tensors{f(x[0])}; }}});
}
std::string likely(Tensor (*f)(const Tensor& x)) {
  return text_of(guess_from_failing_checks(check_of(f)));
}

Grads right(const Saved& s, const Tensor& g) { return {2 * g * s.input()}; }
Grads wrong(const Saved& s, const Tensor& g) { return {3 * g * s.input()}; }

template <const Op& op>
Tensor squared(const Tensor& x) {
  return with_rule(op, [&] { return x * x; }, {x});
}

const Op wrong_kernel{.name = "planted", .saves = saves_input(), .formula = right, .kernel = wrong};
const Op wrong_formula{
    .name = "planted", .saves = saves_input(), .formula = wrong, .kernel = right};
const Op detached{
    .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
      return Grads{2 * g * s.input().detach()};
    }};
const Op wrong_stride{
    .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
      const Tensor x = s.input();
      return Grads{2 * g * x * (x.is_contiguous() ? 1.0 : 1.5)};
    }};
const Op wrong_f32{
    .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
      return Grads{2 * g * s.input() * (g.dtype() == f32 ? 1.01 : 1.0)};
    }};
const Op throws{
    .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
      return Grads{g * s.input().narrow(1, 0, 2)};
    }};

}  // namespace

TEST_CASE("diagnosis: kernel or formula, strides, second order, float32, by which checks fail") {
  CHECK(likely(squared<wrong_kernel>).starts_with("likely the kernel, not the formula"));
  CHECK(likely(squared<wrong_formula>)
            .starts_with("likely the formula or reference, not the kernel"));
  CHECK(likely(squared<detached>).starts_with("likely a value in the formula that is detached"));
  CHECK(likely(squared<wrong_stride>).find("a wrong stride or offset") != std::string::npos);
  CHECK(likely(squared<wrong_f32>).starts_with("likely the float32 kernel alone"));
}

TEST_CASE(
    "diagnosis: a rule that throws is a failure of its function, and the summary says which") {
  const FunctionCheck bad = check_of(squared<throws>), second = check_of(squared<detached>);
  CHECK(!bad.ok());
  CHECK(text_of(bad, false).find("planted (matrix), first order, contiguous: ") !=
        std::string::npos);
  FunctionCheck good = check_function(
      "exp", {{"exp", "vector", {{{3}}}, [](const Tensors& x) { return Tensors{exp(x[0])}; }}});
  CHECK(good.ok());
  CHECK(summary_of({good}) == fmt::format("ok: 1 functions, {} derivatives", good.derivatives()));
  CHECK(summary_of({bad, good, second}) ==
        "1 of 3 functions fail at first order: planted; 1 of 3 functions fail only other checks, "
        "perhaps because of these: planted");
}

// A kernel that overwrites the sum to which it should add.
const Op overwrites{.name = "planted",
                    .saves = saves_input(),
                    .formula = right,
                    .kernel = [](const Saved& s, const Tensor& g) {
                      const Tensor x = s.input();
                      const GradTarget d = s.target(0, x.shape(), x.dtype());
                      visit_floating(x.dtype(), "planted", [&]<class T> {
                        const Tensor gs = contiguous_copy(g), xs = contiguous_copy(x);
                        const auto out = d.tensor.write<T>();
                        for (int64_t i = 0; i < xs.numel(); ++i)
                          out[i] = 2 * gs.data<T>()[i] * xs.data<T>()[i];
                      });
                      return Grads{d.result()};
                    }};

TEST_CASE("diagnosis: a kernel that does not add to a sum is seen where a tensor is used twice") {
  const std::string text = text_of(check_of(squared<overwrites>), false);
  CHECK_MESSAGE(text.find("added for two uses") != std::string::npos, text);
}

TEST_CASE("diagnosis: only large inputs, or only points with a branch of their own") {
  const auto f = [](Tensor (*g)(const Tensor&)) {
    return [g](const Tensors& x) { return Tensors{g(x[0])}; };
  };
  static const Op chunks{.name = "planted", .formula = [](const Saved&, const Tensor& g) {
                           return Grads{g.numel() > 1000 ? 2 * g : g};
                         }};
  static const Op at_zero{
      .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * to(s.input() >= 0, g.dtype())};
      }};
  const Case small{"planted", "small", {{{3, 4}}}, f(squared<wrong_kernel>)};
  Case few = small, many = small, zero = small;
  few.f = many.f =
      f([](const Tensor& x) { return with_rule(chunks, [&] { return x * 1.0; }, {x}); });
  many.inputs = {{{40, 50}}};
  many.kind = Case::Kind::large;
  CHECK(text_of(diagnose(check_function("planted", {few, many})))
            .starts_with("likely the edge of a chunk, tile or part"));
  few.f = zero.f =
      f([](const Tensor& x) { return with_rule(at_zero, [&] { return relu(x); }, {x}); });
  few.inputs[0].kinks = {0};
  zero.inputs = {{{2}}};
  zero.kind = Case::Kind::points;
  zero.values = {{0, 1}};
  zero.expected = {{0, 1}};
  CHECK(text_of(diagnose(check_function("planted", {few, zero})))
            .starts_with("likely a tie, guard or padding"));
}

namespace {

// y = x, with a gradient that is wrong for more than 1000 elements.
Grads wrong_if_large(const Saved&, const Tensor& g) { return {g.numel() > 1000 ? 2 * g : g * 1.0}; }
const Op large_formula{.name = "planted", .formula = wrong_if_large};
const Op large_kernel{.name = "planted",
                      .formula = [](const Saved&, const Tensor& g) { return Grads{g * 1.0}; },
                      .kernel = wrong_if_large};

template <const Op& op>
Tensors same(const Tensors& x) {
  return {with_rule(op, [&] { return x[0] * 1.0; }, {x[0]})};
}
std::string guesses_of(const std::vector<Case>& cases, bool stop_on_failure = false) {
  std::string text;
  for (const Guess& guess :
       guess_from_failing_checks(check_function("planted", cases, 0, stop_on_failure)))
    text += guess.mistake + ": " + guess.reason + "\n";
  return text;
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("diagnosis: kernel and formula are compared only where both were checked") {
  const Case usual{"planted", "usual", {{{3, 4}}}, [](const Tensors& x) {
                     return Tensors{squared<wrong_kernel>(x[0])};
                   }};
  CHECK(has(guesses_of({usual}), "through the formula first order agrees"));
  CHECK(guesses_of({usual}, true).empty());  // ends before it tries the formula

  Case small = usual, large = usual;
  large.label = "large";
  large.inputs = {{{40, 50}}};
  large.kind = Case::Kind::large;
  small.f = large.f = same<large_formula>;
  const std::string formula = guesses_of({small, large});
  CHECK(has(formula, "the edge of a chunk"));
  CHECK_MESSAGE(!has(formula, "the kernel"), formula);
  small.f = large.f = same<large_kernel>;
  const std::string kernel = guesses_of({small, large});
  CHECK_MESSAGE(has(kernel, "the kernel, not the formula: large inputs agree neither"), kernel);
}

TEST_CASE("diagnosis: a check that passes has no guess") {
  const std::vector<Case> cases = cases_of("exp");
  const FunctionCheck check = check_function("exp", cases);
  REQUIRE(check.ok());
  CHECK(diagnose(check).empty());
}

TEST_CASE("diagnosis: only usual cases try all layouts, so others tell nothing about them") {
  static const Op at_zero{
      .name = "planted", .saves = saves_input(), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{g * to(s.input() >= 0, g.dtype())};
      }};
  Case usual{"planted", "usual", {{{3, 4}}}, [](const Tensors& x) {
               return Tensors{with_rule(at_zero, [&] { return relu(x[0]); }, {x[0]})};
             }};
  usual.inputs[0].kinks = {0};
  Case points = usual;
  points.label = "points";
  points.inputs = {{{2}}};
  points.kind = Case::Kind::points;
  points.values = {{0, 1}};
  points.expected = {{0, 1}};
  const std::string text = guesses_of({usual, points});
  CHECK(has(text, "a tie, guard or padding"));
  CHECK_MESSAGE(!has(text, "layouts"), text);
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
  CHECK_MESSAGE(has(text_of(guesses), "a term or one use is lost, which couples elements"),
                text_of(guesses));
}

TEST_CASE("diagnosis: the smallest inputs that fail, as a program") {
  const TensorFunction f = [](const Tensors& in) {
    return Tensors{with_rule(wrong_formula, [&] { return in[0] * in[0]; }, {in[0]}) + in[1]};
  };
  GradcheckOptions options = quiet;
  options.formula = true;
  const GradcheckReport report = gradcheck(f, {values({4, 6}), values({6}, 2)}, options);
  const std::string text = report.text();
  CHECK_MESSAGE(text.find("int main() { gradcheck(f, {from_vector<double>({") != std::string::npos,
                text);
  CHECK_MESSAGE(report.smallest.find("}, {}).set_requires_grad()}") != std::string::npos,
                report.smallest);
  CHECK_MESSAGE(text.find(", {.formula = true}); }") != std::string::npos, text);
  options.find_smallest = false;
  CHECK(gradcheck(f, {values({4, 6}), values({6}, 2)}, options).smallest.empty());
  static const Op cube{
      .name = "cube", .saves = saves_input(0), .formula = [](const Saved& s, const Tensor& g) {
        return Grads{3 * pow(s.input().detach(), 2) * g};  // right, but constant at second order
      }};
  const TensorFunction third_power = [](const Tensors& in) {
    return Tensors{with_rule(cube, [&] { return pow(in[0], 3); }, {in[0]})};
  };
  const GradcheckReport second = gradgradcheck(third_power, {values({2, 3})}, {}, quiet);
  CHECK_MESSAGE(
      second.text().find("{ gradgradcheck(f, {from_vector<double>({") != std::string::npos,
      second.text());
  CHECK_MESSAGE(second.smallest.find("()}, {from_vector<double>({") != std::string::npos,
                second.smallest);
}
