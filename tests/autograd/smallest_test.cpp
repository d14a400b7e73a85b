// A failing check prints the smallest inputs that fail, as a program to paste.
#include <doctest/doctest.h>

#include <string>

#include "planted.h"

using namespace slope;
using test::quiet;
using test::values;
using test::with_rule;
using test::wrong_formula;

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
