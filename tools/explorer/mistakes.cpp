#include <slope/autograd/grad_mode.h>
#include <slope/tools/explorer/mistakes.h>

namespace slope::explorer {

namespace {

// Records the right values under a wrong rule.
template <class F>
Tensor under(const Op& op, const F& forward, std::initializer_list<InputRef> inputs) {
  const auto value = [&] {
    const NoGrad no_grad;
    return forward().clone();
  };
  return op.record(value(), inputs);
}

// ---- seven wrong rules

const Op wrong_sin{
    .name = "sin",
    .definition = {"y = sin x", "dx = g cos x"},
    .saves = saves_input(),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{-(g * cos(s.input()))}; }};
const Op wrong_exp{
    .name = "exp",
    .definition = {"y = e^x", "dx = g y"},
    .saves = saves_output,
    .formula = [](const Saved& s, const Tensor& g) { return Grads{2 * g * s.output()}; }};
const Op wrong_tanh{
    .name = "tanh",
    .definition = {"y = tanh x", "dx = g (1 - y^2)"},
    .saves = saves_input(),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{g * (1 - pow(s.input(), 2))}; }};
const Op wrong_mean{
    .name = "mean",
    .definition = {"y = sum x / n", "dx = g / n, repeated"},
    .saves = saves_input(),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{expand(g, s.input().shape())}; }};
const Op wrong_softmax{.name = "softmax",
                       .definition = {"y_i = e^x_i / sum_j e^x_j", "dx = y (g - <g, y>)"},
                       .saves = saves_output,
                       .formula = [](const Saved& s, const Tensor& g) {
                         return Grads{g * s.output() * (1 - s.output())};
                       }};
const Op wrong_matmul{
    .name = "matmul",
    .definition = {"y = a b", "da = g b^T, db = a^T g"},
    .saves = saves_inputs,
    .formula = [](const Saved& s, const Tensor& g) {
      return Grads{matmul(g, s.input(1)), matmul(transpose(s.input(0), -2, -1), g)};
    }};
const Op wrong_layer_norm{
    .name = "layer_norm",
    .definition = {"y = (x - mean x) / std x", "dx = (g - mean g - y mean(g y)) / std x"},
    .saves = saves_input() | saves_output,
    .formula = [](const Saved& s, const Tensor& g) {
      const Tensor y = s.output();
      const Tensor rstd = 1 / sqrt(var(s.input(), {-1}, 0, keepdim) + 1e-5);
      return Grads{(g - y * mean(g * y, {-1}, keepdim)) * rstd};
    }};

// ---- three mistakes of an engine, as wrong rules: in summing over broadcast dims, in adding up
// contributions, in passing gradients on

const Op unsummed_add{.name = "add",
                      .definition = {"y = a + b", "da = g, db = g"},
                      .saves = saves_inputs,
                      .formula = [](const Saved& s, const Tensor& g) {
                        // only the first row for a broadcast b
                        Tensor gb = g;
                        while (gb.rank() > s.input(1).rank()) gb = select(gb, 0, 0);
                        return Grads{g, gb};
                      }};
const Op overwritten_mul{.name = "mul",
                         .definition = {"y = a b", "da = g b, db = g a"},
                         .saves = saves_inputs,
                         .formula = [](const Saved& s, const Tensor& g) {
                           // the later contribution replaces the earlier one
                           return Grads{0 * g, g * s.input(0)};
                         }};
const Op detached_relu{.name = "relu",
                       .definition = {"y = max(x, 0)", "dx = g where x > 0"},
                       .saves = saves_input(),
                       .formula = [](const Saved&, const Tensor& g) { return Grads{0 * g}; }};

constexpr Mistake table[] = {
    {"sign", "sin", "sin' is cos, not -cos",
     [](const Tensor& a, const Tensor&) { return under(wrong_sin, [&] { return sin(a); }, {a}); }},
    {"factor", "exp", "the gradient of exp is g y; here it is doubled",
     [](const Tensor& a, const Tensor&) { return under(wrong_exp, [&] { return exp(a); }, {a}); }},
    {"tanh of x", "tanh", "1 - y^2 needs the output; here it is computed from the input",
     [](const Tensor& a, const Tensor&) {
       return under(wrong_tanh, [&] { return tanh(a); }, {a});
     }},
    {"mean for sum", "mean", "the gradient of a mean is g / n; the n is missing",
     [](const Tensor& a, const Tensor&) {
       return under(wrong_mean, [&] { return mean(a); }, {a});
     }},
    {"softmax", "softmax",
     "only the diagonal of the Jacobian is there; each y_i depends on every x_j",
     [](const Tensor& a, const Tensor&) {
       return under(wrong_softmax, [&] { return softmax(a); }, {a});
     }},
    {"transposed", "@", "da = g b^T; here b is not transposed",
     [](const Tensor& a, const Tensor& b) {
       return under(wrong_matmul, [&] { return matmul(a, b); }, {a, b});
     }},
    {"layer norm", "layer_norm", "the mean depends on every x too; its term is missing",
     [](const Tensor& a, const Tensor&) {
       return under(wrong_layer_norm, [&] { return layer_norm(a, {}, {}); }, {a});
     }},
    {"broadcast", "+", "a broadcast input gets the sum over all rows, not the first one",
     [](const Tensor& a, const Tensor& b) {
       return under(unsummed_add, [&] { return a + b; }, {a, b});
     }},
    {"overwritten", "*", "x is used twice and both contributions count; = stands where += should",
     [](const Tensor& a, const Tensor& b) {
       return under(overwritten_mul, [&] { return a * b; }, {a, b});
     }},
    {"detached", "relu", "nothing flows back: as if detach() had been called",
     [](const Tensor& a, const Tensor&) {
       return under(detached_relu, [&] { return relu(a); }, {a});
     }},
};

}  // namespace

std::span<const Mistake> mistakes() { return table; }

const Mistake* find_mistake(const std::string& name) {
  for (const Mistake& mistake : table)
    if (name == mistake.name) return &mistake;
  return nullptr;
}

}  // namespace slope::explorer
