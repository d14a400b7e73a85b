// The likely mistake from which checks fail: kernel or formula, strides, second order, float32,
// only large inputs, only points with a branch of their own.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/cases/function_check.h>
#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "planted.h"

using namespace slope;
using test::with_rule;
using test::wrong_formula;

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
