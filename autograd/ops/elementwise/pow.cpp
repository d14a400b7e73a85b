// Powers with a tensor or a number as the exponent.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/core/loops/copy.h>

#include <cmath>

namespace slope {

namespace {

// ---- c a^e log^j a: of such terms all derivatives of powers are sums

constexpr Definition power_term_definition{
    "y = c a^e log^j a",
    "dc = g a^e log^j a, da = g (c e log^j a + c j log^(j-1) a) a^(e-1), de = g c a^e log^(j+1) a"};

// One value, where 0 meets infinity or a^e overflows. The power is applied in two halves. c = 0
// only where the derivative is 0; a power of 0 outweighs logarithms, and an infinite c = e.
double careful_term(double c, double a, double e, int64_t j) {
  const double power = std::pow(a, e), half = std::pow(std::abs(a), e / 2);
  if (c == 0) return 0;
  if (std::isnan(power) || (j > 0 && a < 0)) return NAN;
  if (half == 0) return 0;
  for (int64_t k = 0; k < j; ++k) c *= std::log(a);
  return std::copysign(half, power) * c * half;
}

// Computes what is not finite in y, in place, with care.
Tensor with_limits(const Tensor& y, const Tensor& c, const Tensor& a, const Tensor& e, int64_t j) {
  if (all(isfinite(y))) return y;
  const auto spread = [&](const Tensor& x) { return contiguous_copy(x.expand(y.shape())); };
  const Tensor cs = spread(c), as = spread(a), es = spread(e);
  visit_floating(y.dtype(), "pow", [&]<class T> {
    const T *pc = cs.data<T>(), *pa = as.data<T>(), *pe = es.data<T>();
    const auto out = y.write<T>();
    for (int64_t i = 0; i < y.numel(); ++i)
      if (!std::isfinite(out[i]))
        out[i] = static_cast<T>(careful_term(static_cast<double>(pc[i]), static_cast<double>(pa[i]),
                                             static_cast<double>(pe[i]), j));
  });
  return y;
}

Tensor power_term(const Tensor& c, const Tensor& a, const Tensor& e, int64_t j,
                  const Tensor& known_power = {});

Grads power_term_formula(const Saved& s, const Tensor& g) {
  const Tensor c = s.input(0), a = s.input(1), e = s.input(2);
  const int64_t j = s.integer("j");
  Grads d(3);
  if (s.needs(0)) d[0] = g * power_term(tensor(1.0, a.dtype()), a, e, j);
  if (s.needs(1)) {
    d[1] = g * power_term(c * e, a, e - 1, j);
    if (j > 0) d[1] = d[1] + g * power_term(c * static_cast<double>(j), a, e - 1, j - 1);
  }
  if (s.needs(2)) d[2] = g * power_term(c, a, e, j + 1);
  return d;
}

constexpr Op power_term_op{.name = "power_term",
                           .signature = "(*), (*), (*) -> (*)",
                           .definition = power_term_definition,
                           .saves = saves_inputs,
                           .formula = power_term_formula};

Tensor power_term(const Tensor& c, const Tensor& a, const Tensor& e, int64_t j,
                  const Tensor& known_power) {
  const auto values = [&] {
    const NoGrad no_grad;
    const Tensor power = known_power.defined() ? known_power
                         : e.rank() == 0       ? pow(a, e.item())
                                               : pow(a, e);
    if (c.rank() == 0 && j == 0) {
      const double factor = c.item();
      // where a^e is not finite, nor is c a^e: nothing to compute with care
      const bool keeps_limits = std::abs(factor) >= 1 && std::isfinite(factor);
      return keeps_limits ? factor * power : with_limits(factor * power, c, a, e, j);
    }
    Tensor factor = c;
    for (int64_t k = 0; k < j; ++k) factor = factor * log(a);
    return with_limits(factor * power, c, a, e, j);
  };
  return power_term_op.record(values(), {c, a, e}, {{"j", j}});
}

// ---- the operations

// Where b = 0, y does not depend on a; where a = 0 <= b, not on b: 0 even if g is infinite.
constexpr Definition pow_definition{"y = a^b", "da = g b a^(b-1), db = g y log a",
                                    "a > 0; a = 0 where b >= 0; a < 0 where b is an integer"};
Grads pow_formula(const Saved& s, const Tensor& g) {
  const Tensor a = s.input(0), b = s.input(1);
  Grads d(2);
  if (s.needs(0))
    d[0] = masked_fill(g, logical_and(b == 0, !isfinite(g)), 0) * power_term(b, a, b - 1, 0);
  if (s.needs(1)) {
    const Tensor constant = logical_and(a == 0, b >= 0);
    d[1] =
        masked_fill(g, constant, 0) *
        power_term(tensor(1.0, a.dtype()), masked_fill(a, constant, 1), b, 1, s.output().detach());
  }
  return d;
}

constexpr Definition pow_scalar_definition{
    "y = x^b", "dx = g b x^(b-1)", "x > 0; x = 0 where b >= 0; x < 0 where b is an integer"};
Grads pow_scalar_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const double b = s.number("b");
  if (b == 0) return {zeros_like(g)};
  return {g * power_term(tensor(b, x.dtype()), x, tensor(b - 1, x.dtype()), 0)};
}

}  // namespace

namespace ops {
extern const Op pow{.name = "pow",
                    .signature = "(*), (*) -> (*)",
                    .definition = pow_definition,
                    .saves = saves_inputs | saves_output,
                    .formula = pow_formula};
extern const Op pow_scalar{.name = "pow_scalar",
                           .signature = "(*) -> (*)",
                           .definition = pow_scalar_definition,
                           .saves = saves_input(0),
                           .formula = pow_scalar_formula};
}  // namespace ops

Tensor pow(const Tensor& a, const Tensor& b) { return apply<Pow>(ops::pow, a, b); }

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
