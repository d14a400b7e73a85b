// Elementwise operations of two tensors, broadcast together; the engine sums gradients over
// broadcast dims. Powers are in pow.cpp.
#include <slope/autograd/ops/elementwise/elementwise.h>

namespace slope {

namespace {

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
Tensor maximum(const Tensor& a, const Tensor& b) { return apply<Maximum>(ops::maximum, a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return apply<Minimum>(ops::minimum, a, b); }

}  // namespace slope
