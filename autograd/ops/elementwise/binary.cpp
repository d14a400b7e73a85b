// Elementwise operations of two tensors, broadcast together; the engine sums gradients over
// broadcast dims.
#include <slope/autograd/ops/elementwise/elementwise.h>

#include <cmath>

namespace slope {

namespace {

// Row::f of both operands in their promoted dtype, which is `least` or higher.
template <class Row>
Tensor apply(const Op& op, const Tensor& a, const Tensor& b, DType least = i64) {
  if (a.dtype() == b.dtype() && is_floating(a.dtype()))
    return op.record(elementwise<Row>(a, b, op.name), {a, b});
  const DType dtype = promote(promote(a.dtype(), b.dtype()), least);
  const Tensor p = to(a, dtype), q = to(b, dtype);
  return op.record(elementwise<Row>(p, q, op.name), {p, q});
}

constexpr Definition add_definition{"y = a + b", "da = g, db = g"};
Grads add_formula(const Saved&, const Tensor& g) { return {g, g}; }

constexpr Definition sub_definition{"y = a - b", "da = g, db = -g"};
Grads sub_formula(const Saved& s, const Tensor& g) { return {g, s.needs(1) ? -g : Tensor()}; }

constexpr Definition mul_definition{"y = a b", "da = g b, db = g a"};
Grads mul_formula(const Saved& s, const Tensor& g) {
  return {s.needs(0) ? g * s.input(1) : Tensor(), s.needs(1) ? g * s.input(0) : Tensor()};
}

constexpr Definition div_definition{"y = a / b", "da = g / b, db = -g (y / b)", "b != 0"};
Grads div_formula(const Saved& s, const Tensor& g) {
  const Tensor b = s.input(1);
  return {s.needs(0) ? g / b : Tensor(), s.needs(1) ? -(g * (s.output() / b)) : Tensor()};
}

// To avoid 0 * inf and nan: where b = 0 and a is 0 or nan, a^0 replaces a^(b-1); where a = 0 <= b,
// log 1 replaces log a.
constexpr Definition pow_definition{"y = a^b", "da = g b a^(b-1), db = g y log a",
                                    "a > 0; a = 0 where b >= 0; a < 0 where b is an integer"};
// b a^(b-1); with |b| < 1 from (2^64 a)^(b-1) where a is so small that a^(b-1) overflows.
Tensor slope_of_pow(const Tensor& a, const Tensor& b) {
  const Tensor constant = logical_and(b == 0, logical_or(a == 0, isnan(a))),
               exponent = masked_fill(b - 1, constant, 0), power = pow(a, exponent),
               over = logical_and(isinf(power), logical_and(a != 0, abs(b) < 1));
  if (!any(over)) return b * power;
  const Tensor small = masked_fill(a, !over, 1) * 0x1p64, less = masked_fill(b - 1, !over, 0),
               of_small = b * pow(small, less) * pow(full({}, 0x1p64, a.dtype()), -less);
  return where(over, of_small, b * pow(masked_fill(a, over, 1), exponent));
}

// log a; for a tiny a from log(2^64 a), whose derivative 1 / (2^64 a) does not overflow.
Tensor log_of_base(const Tensor& a) {
  const Tensor tiny = abs(a) < 0x1p-64;
  if (!any(tiny)) return log(a);
  const Tensor of_tiny = log(masked_fill(a, !tiny, 1) * 0x1p64) - 64 * std::log(2.0),
               of_others = log(masked_fill(a, tiny, 1));
  return where(tiny, of_tiny, of_others);
}

Grads pow_formula(const Saved& s, const Tensor& g) {
  const Tensor a = s.input(0), b = s.input(1);
  Grads d(2);
  // where b = 0, y does not depend on a; where a = 0 <= b, not on b: 0 even if g is infinite
  if (s.needs(0)) d[0] = masked_fill(g, logical_and(b == 0, !isfinite(g)), 0) * slope_of_pow(a, b);
  if (s.needs(1)) {
    const Tensor constant = logical_and(a == 0, b >= 0);
    d[1] = masked_fill(g, constant, 0) * (s.output() * log_of_base(masked_fill(a, constant, 1)));
  }
  return d;
}

constexpr Definition maximum_definition{"y = max(a, b)",
                                        "da = g where a > b, g / 2 where a = b, else 0; db alike"};
Grads maximum_formula(const Saved& s, const Tensor& g) {
  const Tensor a = s.input(0), b = s.input(1), shared = where(a == b, g / 2, g);
  return {masked_fill(shared, a < b, 0), masked_fill(shared, b < a, 0)};
}

constexpr Definition minimum_definition{"y = min(a, b)",
                                        "da = g where a < b, g / 2 where a = b, else 0; db alike"};
Grads minimum_formula(const Saved& s, const Tensor& g) {
  const Tensor a = s.input(0), b = s.input(1), shared = where(a == b, g / 2, g);
  return {masked_fill(shared, a > b, 0), masked_fill(shared, b > a, 0)};
}

}  // namespace

namespace ops {
extern const Op add{.name = "add",
                    .signature = "(*), (*) -> (*)",
                    .definition = add_definition,
                    .formula = add_formula};
extern const Op sub{.name = "sub",
                    .signature = "(*), (*) -> (*)",
                    .definition = sub_definition,
                    .formula = sub_formula};
extern const Op mul{.name = "mul",
                    .signature = "(*), (*) -> (*)",
                    .definition = mul_definition,
                    .saves = saves_inputs,
                    .formula = mul_formula};
extern const Op div{.name = "div",
                    .signature = "(*), (*) -> (*)",
                    .definition = div_definition,
                    .saves = saves_input(1) | saves_output,
                    .formula = div_formula};
extern const Op pow{.name = "pow",
                    .signature = "(*), (*) -> (*)",
                    .definition = pow_definition,
                    .saves = saves_inputs | saves_output,
                    .formula = pow_formula};
extern const Op maximum{.name = "maximum",
                        .signature = "(*), (*) -> (*)",
                        .definition = maximum_definition,
                        .saves = saves_inputs,
                        .formula = maximum_formula};
extern const Op minimum{.name = "minimum",
                        .signature = "(*), (*) -> (*)",
                        .definition = minimum_definition,
                        .saves = saves_inputs,
                        .formula = minimum_formula};
}  // namespace ops

Tensor add(const Tensor& a, const Tensor& b) { return apply<Add>(ops::add, a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return apply<Sub>(ops::sub, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return apply<Mul>(ops::mul, a, b); }
Tensor div(const Tensor& a, const Tensor& b) { return apply<Div>(ops::div, a, b, f32); }
Tensor pow(const Tensor& a, const Tensor& b) { return apply<Pow>(ops::pow, a, b); }
Tensor maximum(const Tensor& a, const Tensor& b) { return apply<Maximum>(ops::maximum, a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return apply<Minimum>(ops::minimum, a, b); }

}  // namespace slope
