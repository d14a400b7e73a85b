// Operations of a tensor and a number. A number takes the tensor's dtype; a fraction turns whole
// numbers into f32.
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/core/loops/copy.h>

namespace slope {

namespace ops {
// y = x + b, dx = g
extern const Op add_scalar{.name = "add_scalar",
                           .signature = "(*) -> (*)",
                           .formula = [](const Saved&, const Tensor& g) { return Grads{g}; }};

// y = x b, dx = g b
extern const Op mul_scalar{
    .name = "mul_scalar",
    .signature = "(*) -> (*)",
    .formula = [](const Saved& s, const Tensor& g) { return Grads{g * s.number("b")}; }};

// y = x / b, dx = g / b
extern const Op div_scalar{
    .name = "div_scalar",
    .signature = "(*) -> (*)",
    .formula = [](const Saved& s, const Tensor& g) { return Grads{g / s.number("b")}; }};

// y = a / x, dx = -g y / x
extern const Op scalar_div{.name = "scalar_div",
                           .signature = "(*) -> (*)",
                           .saves = saves_input(0) | saves_output,
                           .formula = [](const Saved& s, const Tensor& g) {
                             return Grads{-(g * (s.output() / s.input()))};
                           }};

// y = x^b, dx = g b x^(b-1)
extern const Op pow_scalar{
    .name = "pow_scalar",
    .signature = "(*) -> (*)",
    .saves = saves_input(0),
    .formula = [](const Saved& s, const Tensor& g) {
      const double b = s.number("b");
      return Grads{b == 0 ? zeros_like(g) : g * (b * slope::pow(s.input(), b - 1))};
    }};
}  // namespace ops

namespace {

Tensor floating(const Tensor& x) { return is_floating(x.dtype()) ? x : to(x, f32); }

}  // namespace

Tensor add(const Tensor& x0, double b) {
  const Tensor x = meeting(x0, b);
  if (x.dtype() == i64) return elementwise<Add>(x, full({}, b, i64), "add");
  return ops::add_scalar.record(elementwise_scalar<Add>(x, b, "add"), {x});
}

Tensor mul(const Tensor& x0, double b) {
  const Tensor x = meeting(x0, b);
  if (x.dtype() == i64) return elementwise<Mul>(x, full({}, b, i64), "mul");
  Tensor y = elementwise_scalar<Mul>(x, b, "mul");
  return x.requires_grad() ? ops::mul_scalar.record(y, {x}, {{"b", b}})
                           : ops::mul_scalar.record(y, {x});
}

Tensor operator/(const Tensor& x0, double b) {
  const Tensor x = floating(x0);
  return ops::div_scalar.record(elementwise_scalar<Div>(x, b, "div"), {x}, {{"b", b}});
}

Tensor operator/(double a, const Tensor& x0) {
  const Tensor x = floating(x0);
  return ops::scalar_div.record(elementwise_scalar<Div>(x, a, "div", true), {x});
}

Tensor pow(const Tensor& x0, double b) {
  const Tensor x = meeting(x0, b < 0 ? 0.5 : b);
  if (x.dtype() == i64) return elementwise<Pow>(x, full({}, b, i64), "pow");
  Tensor y = b == 2    ? elementwise<Mul>(x, x, "pow")
             : b == 1  ? contiguous_copy(x)
             : b == -1 ? elementwise_scalar<Div>(x, 1, "pow", true)
                       : elementwise_scalar<Pow>(x, b, "pow");
  return ops::pow_scalar.record(y, {x}, {{"b", b}});
}

}  // namespace slope
