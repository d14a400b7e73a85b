// Operations of a tensor and a number. The number takes the tensor's dtype, but one that is no
// integer (core/tensor/scalar.h) turns an integer tensor into f32.
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/core/loops/copy.h>

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
Grads scalar_div_formula(const Saved& s, const Tensor& g) {
  return {-(g * (s.output() / s.input()))};
}

constexpr Definition pow_scalar_definition{
    "y = x^b", "dx = g b x^(b-1)", "x > 0; x = 0 where b >= 0; x < 0 where b is an integer"};
// b x^(b-1); with |b| < 1 from (2^64 x)^(b-1) where x is so small that x^(b-1) overflows.
Tensor slope_of_pow_scalar(const Tensor& x, double b) {
  const Tensor power = pow(x, b - 1);
  if (std::abs(b) >= 1) return b * power;
  const Tensor over = logical_and(isinf(power), x != 0);
  if (!any(over)) return b * power;
  const Tensor small = masked_fill(x, !over, 1);
  const double unscale = std::exp2(64 * (1 - b));
  return where(over, b * pow(small * 0x1p64, b - 1) * unscale,
               b * pow(masked_fill(x, over, 1), b - 1));
}
Grads pow_scalar_formula(const Saved& s, const Tensor& g) {
  const double b = s.number("b");
  return {b == 0 ? zeros_like(g) : g * slope_of_pow_scalar(s.input(), b)};
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
extern const Op pow_scalar{.name = "pow_scalar",
                           .signature = "(*) -> (*)",
                           .definition = pow_scalar_definition,
                           .saves = saves_input(0),
                           .formula = pow_scalar_formula};
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

Tensor pow(const Tensor& x0, Scalar number) {
  const Tensor x = promoted_with(x0, number);
  if (x.dtype() == i64) return elementwise<Pow>(x, full({}, number, i64), "pow");
  const double b = number.to_double();
  const Tensor y = b == 2    ? elementwise<Mul>(x, x, "pow")
                   : b == 1  ? contiguous_copy(x)
                   : b == -1 ? elementwise_scalar<Div>(x, 1, "pow", true)
                             : elementwise_scalar<Pow>(x, b, "pow");
  return ops::pow_scalar.record(y, {x}, {{"b", b}});
}

}  // namespace slope
