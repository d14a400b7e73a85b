// Derivatives at nan: whoever looks for nan in a gradient must find it there, also in one of second
// order.
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/nn/cases.h>

#include <doctest/doctest.h>

#include <cmath>

using namespace slope;

namespace {

// dy/dx and d2y/dx2 of the sum of all outputs with respect to element 0 of one input.
struct TwoDerivatives {
  double first = 0, second = 0;
};
TwoDerivatives derivatives_of(const Case& c, const Tensors& values, size_t input) {
  Tensors leaves;
  for (const Tensor& v : values) leaves.push_back(v.detach().set_requires_grad());
  Tensor total = zeros({}, f64);
  for (const Tensor& y : c.f(leaves)) total = total + sum(y);
  const Tensor dx = grad({total}, {leaves[input]}, {.create_graph = true})[0];
  const Tensor first = dx.reshape({-1}).select(0, 0);
  TwoDerivatives result{.first = first.detach().item()};
  if (!first.requires_grad()) return result;
  const Tensor ddx = grad({first}, {leaves[input]}, {.allow_unused = true})[0];
  if (ddx.defined()) result.second = ddx.reshape({-1}).select(0, 0).item();
  return result;
}

Tensors drawn(const Case& c, uint64_t seed) {
  Tensors values;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    values.push_back(
        lay_out(c.inputs[i], InputLayout::contiguous, f64, seed + 100 * i).leaf.detach());
  return values;
}

// Whether the second derivative depends on the input.
bool varies(const Case& c, size_t input) {
  double least = INFINITY, most = -INFINITY;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Tensors values = drawn(c, 1);
    values[input] = drawn(c, seed)[input];
    const double second = derivatives_of(c, values, input).second;
    least = std::min(least, second), most = std::max(most, second);
  }
  return most - least > 1e-9 * (1 + std::abs(most));
}

}  // namespace

TEST_CASE("nan: where the first derivative at nan is nan, so is the second unless it is constant") {
  int checked = 0;
  for (const std::vector<Case>* list : {&all_cases(), &nn::function_cases()})
    for (const Case& c : *list)
      for (size_t i = 0; i < c.inputs.size(); ++i) {
        if (c.kind != Case::Kind::usual || numel(c.inputs[i].shape) == 0) continue;
        CAPTURE(std::string(c.name));
        CAPTURE(c.label);
        CAPTURE(i);
        Tensors values = drawn(c, 1);
        values[i].reshape({-1}).write<double>()[0] = NAN;
        TwoDerivatives at_nan;
        try {
          at_nan = derivatives_of(c, values, i);
        } catch (const Error&) {  // takes no nan
          continue;
        }
        if (!std::isnan(at_nan.first) || !varies(c, i)) continue;
        CHECK(std::isnan(at_nan.second));
        ++checked;
      }
  CHECK(checked > 100);
}
