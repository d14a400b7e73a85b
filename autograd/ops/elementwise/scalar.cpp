// Operations of a tensor and a number. The number takes the tensor's dtype, but one that is no
// integer (core/tensor/scalar.h) turns an integer tensor into f32. Powers are in pow.cpp.
#include <slope/autograd/ops/elementwise/elementwise.h>

namespace slope {

namespace {

Tensor floating(const Tensor& x) { return is_floating(x.dtype()) ? x : to(x, f32); }

constexpr Definition add_scalar_definition{"y = x + b", "dx = g"};
Grads add_scalar_formula(const Saved&, const Tensor& g) { return {g}; }

constexpr Definition mul_scalar_definition{"y = x b", "dx = g b"};
Grads mul_scalar_formula(const Saved& s, const Tensor& g) { return {g * s.number("b")}; }

constexpr Definition div_scalar_definition{"y = x / b", "dx = g / b"};
Grads div_scalar_formula(const Saved& s, const Tensor& g) { return {g / s.number("b")}; }

constexpr Definition scalar_div_definition{"y = a / x", "dx = -g y / x", "x != 0"};
// Where a = 0, y itself, 0 or nan, takes the place of y / x: 1 / x may overflow.
Grads scalar_div_formula(const Saved& s, const Tensor& g) {
  const Tensor y = s.output();
  return {-(g * (s.number("a") == 0 ? y : y / s.input()))};
}

}  // namespace

namespace ops {
extern const Op add_scalar{.name = "add_scalar",
                           .signature = "(*) -> (*)",
                           .definition = add_scalar_definition,
                           .formula = add_scalar_formula};
extern const Op mul_scalar{.name = "mul_scalar",
                           .signature = "(*) -> (*)",
                           .definition = mul_scalar_definition,
                           .formula = mul_scalar_formula};
extern const Op div_scalar{.name = "div_scalar",
                           .signature = "(*) -> (*)",
                           .definition = div_scalar_definition,
                           .formula = div_scalar_formula};
extern const Op scalar_div{.name = "scalar_div",
                           .signature = "(*) -> (*)",
                           .definition = scalar_div_definition,
                           .saves = saves_input(0) | saves_output,
                           .formula = scalar_div_formula};
}  // namespace ops

Tensor add(const Tensor& x0, Scalar number) {
  const Tensor x = promoted_with(x0, number);
  if (x.dtype() == i64) return elementwise<Add>(x, full({}, number, i64), "add");
  const double b = number.to_double();
  const Tensor y = elementwise_scalar<Add>(x, b, "add");
  return x.requires_grad() ? ops::add_scalar.record(y, {x}, {{"b", b}})
                           : ops::add_scalar.record(y, {x});
}

Tensor sub(const Tensor& x0, Scalar b) {
  const Tensor x = promoted_with(x0, b);
  return x.dtype() == i64 ? elementwise<Sub>(x, full({}, b, i64), "sub") : add(x, -b.to_double());
}

Tensor mul(const Tensor& x0, Scalar number) {
  const Tensor x = promoted_with(x0, number);
  if (x.dtype() == i64) return elementwise<Mul>(x, full({}, number, i64), "mul");
  const double b = number.to_double();
  const Tensor y = elementwise_scalar<Mul>(x, b, "mul");
  return x.requires_grad() ? ops::mul_scalar.record(y, {x}, {{"b", b}})
                           : ops::mul_scalar.record(y, {x});
}

Tensor div(const Tensor& x0, Scalar number) {
  const Tensor x = floating(x0);
  const double b = number.to_double();
  return ops::div_scalar.record(elementwise_scalar<Div>(x, b, "div"), {x}, {{"b", b}});
}

Tensor operator/(Scalar number, const Tensor& x0) {
  const Tensor x = floating(x0);
  const double a = number.to_double();
  return ops::scalar_div.record(elementwise_scalar<Div>(x, a, "div", true), {x}, {{"a", a}});
}

}  // namespace slope
