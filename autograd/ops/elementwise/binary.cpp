// Operations of two tensors, broadcast together; the engine sums gradients back
// over what was repeated.
#include <slope/autograd/ops/elementwise/elementwise.h>

namespace slope {

namespace ops {
// y = a + b, da = g, db = g
extern const Op add{
    .name = "add", .signature = "(*), (*) -> (*)", .formula = [](const Saved&, const Tensor& g) {
      return Grads{g, g};
    }};

// y = a - b, da = g, db = -g
extern const Op sub{
    .name = "sub", .signature = "(*), (*) -> (*)", .formula = [](const Saved& s, const Tensor& g) {
      return Grads{g, s.needs(1) ? -g : Tensor()};
    }};

// y = a b, da = g b, db = g a
extern const Op mul{
    .name = "mul",
    .signature = "(*), (*) -> (*)",
    .saves = saves_inputs,
    .formula = [](const Saved& s, const Tensor& g) {
      return Grads{s.needs(0) ? g * s.input(1) : Tensor(), s.needs(1) ? g * s.input(0) : Tensor()};
    }};

// y = a / b, da = g / b, db = -g y / b
extern const Op div{.name = "div",
                    .signature = "(*), (*) -> (*)",
                    .saves = saves_input(1) | saves_output,
                    .formula = [](const Saved& s, const Tensor& g) {
                      const Tensor da = g / s.input(1);
                      return Grads{da, s.needs(1) ? -(da * s.output()) : Tensor()};
                    }};

// y = a^b, da = g b a^(b-1), db = g y log a. No 0 * inf or nan arises: where b = 0 and a is 0 or
// nan, a^0 stands in, where a = 0 <= b log 1
extern const Op pow{
    .name = "pow",
    .signature = "(*), (*) -> (*)",
    .saves = saves_inputs | saves_output,
    .formula = [](const Saved& s, const Tensor& g) {
      const Tensor a = s.input(0), b = s.input(1);
      Grads d(2);
      if (s.needs(0))
        d[0] =
            g *
            (b * slope::pow(
                     a, masked_fill(b - 1, logical_and(b == 0, logical_or(a == 0, isnan(a))), 0)));
      if (s.needs(1)) d[1] = g * (s.output() * log(masked_fill(a, logical_and(a == 0, b >= 0), 1)));
      return d;
    }};

// y = max(a, b), da = g where a > b, g / 2 where a = b
extern const Op maximum{
    .name = "maximum",
    .signature = "(*), (*) -> (*)",
    .saves = saves_inputs,
    .formula = [](const Saved& s, const Tensor& g) {
      const Tensor a = s.input(0), b = s.input(1), shared = where(a == b, g / 2, g);
      return Grads{masked_fill(shared, a < b, 0), masked_fill(shared, b < a, 0)};
    }};
extern const Op minimum{
    .name = "minimum",
    .signature = "(*), (*) -> (*)",
    .saves = saves_inputs,
    .formula = [](const Saved& s, const Tensor& g) {
      const Tensor a = s.input(0), b = s.input(1), shared = where(a == b, g / 2, g);
      return Grads{masked_fill(shared, a > b, 0), masked_fill(shared, b > a, 0)};
    }};
}  // namespace ops

namespace {

template <class Row>
Tensor apply(const Op& op, const Tensor& a, const Tensor& b, DType least = i64) {
  if (a.dtype() == b.dtype() && is_floating(a.dtype()))
    return op.record(elementwise<Row>(a, b, op.name), {a, b});
  const DType dtype = promote(promote(a.dtype(), b.dtype()), least);
  const Tensor p = to(a, dtype), q = to(b, dtype);
  return op.record(elementwise<Row>(p, q, op.name), {p, q});
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) { return apply<Add>(ops::add, a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return apply<Sub>(ops::sub, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return apply<Mul>(ops::mul, a, b); }
Tensor div(const Tensor& a, const Tensor& b) { return apply<Div>(ops::div, a, b, f32); }
Tensor pow(const Tensor& a, const Tensor& b) { return apply<Pow>(ops::pow, a, b); }
Tensor maximum(const Tensor& a, const Tensor& b) { return apply<Maximum>(ops::maximum, a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return apply<Minimum>(ops::minimum, a, b); }

}  // namespace slope
