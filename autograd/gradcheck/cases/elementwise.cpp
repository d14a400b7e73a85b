// Cases of the elementwise operations: domains and kinks of each function, broadcasting of two
// operands.
#include <slope/autograd/gradcheck/cases/cases.h>

#include <cmath>

namespace slope {

namespace {

struct Domain {
  double low = -2, high = 2;
  std::vector<double> kinks = {};
  CaseInput of(const Dims& shape) const { return {shape, low, high, kinks}; }
};

void unary_cases(Cases& result, const char* op, const Domain& domain, Tensor (*f)(const Tensor&)) {
  const auto call = [f](const Tensors& x) { return Tensors{f(x[0])}; };
  result.cases.push_back({op, "matrix", {domain.of({3, 4})}, call});
  result.cases.push_back({op, "rank 0", {domain.of({})}, call});
  result.cases.push_back({op, "n = 1", {domain.of({1})}, call});
  result.cases.push_back({op, "three dims", {domain.of({2, 3, 2})}, call});
  result.cases.push_back({op, "longer than a vector", {domain.of({37})}, call});
  result.cases.push_back({op, "empty", {domain.of({2, 0})}, call});
}

void binary_cases(Cases& result, const char* op, const Domain& a, const Domain& b,
                  Tensor (*f)(const Tensor&, const Tensor&)) {
  const auto call = [f](const Tensors& x) { return Tensors{f(x[0], x[1])}; };
  const auto add = [&](const char* label, const Dims& p, const Dims& q) {
    result.cases.push_back({op, label, {a.of(p), b.of(q)}, call});
  };
  add("same shape", {3, 4}, {3, 4});
  add("row", {3, 4}, {4});
  add("column", {3, 1}, {3, 4});
  add("outer", {3, 1}, {1, 4});
  add("rank 0 on the left", {}, {2, 3});
  add("rank 0 on the right", {2, 3}, {});
  add("middle", {2, 1, 3}, {4, 1});
  add("n = 1", {1}, {1});
  add("n = 1 repeated", {1}, {5});
  add("empty", {2, 0}, {2, 0});
  add("empty by broadcasting", {1, 3}, {0, 1});
  result.cases.push_back({op,
                          "an operand twice",
                          {a.low > 0 ? a.of({3}) : Domain{0.5, 2}.of({3})},
                          [f](const Tensors& x) { return Tensors{f(x[0], x[0] * x[0] + 1)}; }});
}

void scalar_cases(Cases& result, const char* op, const char* label, const Domain& domain,
                  Tensor (*f)(const Tensor&)) {
  const auto call = [f](const Tensors& x) { return Tensors{f(x[0])}; };
  result.cases.push_back({op, label, {domain.of({3, 4})}, call});
  result.cases.push_back({op, std::string(label) + ", rank 0", {domain.of({})}, call});
  result.cases.push_back({op, std::string(label) + ", n = 1", {domain.of({1})}, call});
  result.cases.push_back({op, std::string(label) + ", empty", {domain.of({0, 3})}, call});
}

void all_unary(Cases& result) {
  const Domain any, positive{0.2, 3}, apart{-2, 2, {0}};
  unary_cases(result, "neg", any, neg);
  unary_cases(result, "abs", apart, abs);
  unary_cases(result, "sign", apart, sign);
  unary_cases(result, "exp", any, exp);
  unary_cases(result, "expm1", any, expm1);
  unary_cases(result, "log", positive, log);
  unary_cases(result, "log1p", {-0.8, 3}, log1p);
  unary_cases(result, "sqrt", positive, sqrt);
  unary_cases(result, "rsqrt", positive, rsqrt);
  unary_cases(result, "sin", {-7, 7}, sin);
  unary_cases(result, "cos", {-7, 7}, cos);
  unary_cases(result, "tanh", {-3, 3}, tanh);
  unary_cases(result, "sigmoid", {-5, 5}, sigmoid);
  unary_cases(result, "relu", apart, relu);
  unary_cases(result, "erf", any, erf);
  unary_cases(result, "gelu", {-4, 4}, [](const Tensor& x) { return gelu(x); });
  unary_cases(result, "gelu_tanh", {-4, 4}, [](const Tensor& x) { return gelu(x, Gelu::tanh); });
  unary_cases(result, "silu", {-5, 5}, silu);
  unary_cases(result, "softplus", {-5, 5}, softplus);
  const Domain bounds{-2, 2, {-0.5, 0.7}};
  unary_cases(result, "clamp", bounds, [](const Tensor& x) { return clamp(x, -0.5, 0.7); });
  scalar_cases(result, "clamp", "lower bound alone", bounds,
               [](const Tensor& x) { return clamp(x, -0.5, {}); });
  scalar_cases(result, "clamp", "upper bound alone", bounds,
               [](const Tensor& x) { return clamp(x, {}, 0.7); });
}

void all_binary(Cases& result) {
  const Domain any, positive{0.3, 2}, negative{-2, -0.4};
  binary_cases(result, "add", any, any, add);
  binary_cases(result, "sub", any, any, sub);
  binary_cases(result, "mul", any, any, mul);
  binary_cases(result, "div", any, positive, div);
  binary_cases(result, "pow", positive, any, pow);
  binary_cases(result, "maximum", any, any, maximum);
  binary_cases(result, "minimum", any, any, minimum);
  result.cases.push_back(
      {"div", "negative divisor", {any.of({3}), negative.of({3})}, [](const Tensors& x) {
         return Tensors{x[0] / x[1]};
       }});
  result.cases.push_back({"pow", "base 0", {Domain{1.5, 3}.of({3})}, [](const Tensors& x) {
                            return Tensors{pow(zeros_like(x[0]), x[0])};
                          }});
  result.cases.push_back({"pow", "exponent 0", {positive.of({3})}, [](const Tensors& x) {
                            return Tensors{pow(x[0], zeros_like(x[0]))};
                          }});
  result.cases.push_back(
      {"mul", "a square", {any.of({4})}, [](const Tensors& x) { return Tensors{x[0] * x[0]}; }});

  scalar_cases(result, "add_scalar", "x + 1.5", any, [](const Tensor& x) { return x + 1.5; });
  scalar_cases(result, "add_scalar", "1.5 - x", any, [](const Tensor& x) { return 1.5 - x; });
  scalar_cases(result, "mul_scalar", "x * -0.7", any, [](const Tensor& x) { return x * -0.7; });
  scalar_cases(result, "mul_scalar", "x * 0", any, [](const Tensor& x) { return x * 0; });
  scalar_cases(result, "div_scalar", "x / 3", any, [](const Tensor& x) { return x / 3; });
  scalar_cases(result, "scalar_div", "2 / x", positive, [](const Tensor& x) { return 2 / x; });
  scalar_cases(result, "scalar_div", "2 / x, x < 0", negative,
               [](const Tensor& x) { return 2 / x; });
  scalar_cases(result, "pow_scalar", "x^0", any, [](const Tensor& x) { return pow(x, 0); });
  scalar_cases(result, "pow_scalar", "x", any, [](const Tensor& x) { return pow(x, 1); });
  scalar_cases(result, "pow_scalar", "x^2", any, [](const Tensor& x) { return pow(x, 2); });
  scalar_cases(result, "pow_scalar", "x^3", any, [](const Tensor& x) { return pow(x, 3); });
  scalar_cases(result, "pow_scalar", "sqrt x", positive,
               [](const Tensor& x) { return pow(x, 0.5); });
  scalar_cases(result, "pow_scalar", "1 / x", negative, [](const Tensor& x) { return pow(x, -1); });
  scalar_cases(result, "pow_scalar", "x^-1.5", positive,
               [](const Tensor& x) { return pow(x, -1.5); });
}

void picking(Cases& result) {
  const Domain any;
  const auto add = [&](const char* op, const char* label, const std::vector<Dims>& shapes,
                       Tensor (*f)(const Tensors&)) {
    std::vector<CaseInput> inputs;
    for (const Dims& shape : shapes) inputs.push_back(any.of(shape));
    result.cases.push_back({op, label, inputs, [f](const Tensors& x) { return Tensors{f(x)}; }});
  };
  add("where", "same shape", {{3, 2}, {3, 2}}, [](const Tensors& x) {
    return where(tensor({{true, false}, {false, false}, {true, true}}), x[0], x[1]);
  });
  add("where", "condition broadcasts", {{3, 2}, {3, 2}}, [](const Tensors& x) {
    return where(tensor({true, false}), x[0], x[1]);
  });
  add("where", "all three broadcast", {{3, 1}, {4}}, [](const Tensors& x) {
    return where(tensor({{{true}}, {{false}}}), x[0], x[1]);
  });
  add("where", "rank 0", {{}, {}},
      [](const Tensors& x) { return where(tensor(false), x[0], x[1]); });
  add("where", "n = 1", {{1}, {1}},
      [](const Tensors& x) { return where(tensor({true}), x[0], x[1]); });
  add("where", "empty", {{0, 2}, {1, 2}}, [](const Tensors& x) {
    return where(tensor({true, false}), x[0], x[1]);
  });
  add("where", "one input constant", {{3}}, [](const Tensors& x) {
    return where(tensor({true, false, true}), ones_like(x[0]), x[0]);
  });
  add("masked_fill", "same shape", {{2, 2}}, [](const Tensors& x) {
    return masked_fill(x[0], tensor({{true, false}, {false, true}}), 3);
  });
  add("masked_fill", "mask broadcasts", {{3, 2}}, [](const Tensors& x) {
    return masked_fill(x[0], tensor({true, false}), -1.5);
  });
  add("masked_fill", "input broadcasts", {{2}}, [](const Tensors& x) {
    return masked_fill(x[0], tensor({{true, false}, {false, false}}), -1.5);
  });
  add("masked_fill", "rank 0", {{}},
      [](const Tensors& x) { return masked_fill(x[0], tensor(false), 1); });
  add("masked_fill", "n = 1", {{1}},
      [](const Tensors& x) { return masked_fill(x[0], tensor({true}), 1); });
  add("masked_fill", "empty", {{0, 2}}, [](const Tensors& x) {
    return masked_fill(x[0], tensor({true, false}), 1);
  });
}

void refusals(Cases& result) {
  const auto refuse = [&](const char* op, const char* label, void (*call)()) {
    result.refusals.push_back({op, label, call});
  };
  refuse("add", "shapes that do not broadcast", [] { (void)(ones({2, 3}) + ones({2, 4})); });
  refuse("sub", "shapes that do not broadcast", [] { (void)(ones({2}) - ones({3})); });
  refuse("mul", "shapes that do not broadcast", [] { (void)(ones({2, 1, 3}) * ones({3, 4, 2})); });
  refuse("div", "shapes that do not broadcast", [] { (void)(ones({4}) / ones({0})); });
  refuse("pow", "shapes that do not broadcast", [] { (void)pow(ones({2}), ones({3})); });
  refuse("maximum", "shapes that do not broadcast", [] { (void)maximum(ones({2}), ones({3})); });
  refuse("minimum", "shapes that do not broadcast", [] { (void)minimum(ones({2}), ones({3})); });
  refuse("where", "condition that does not broadcast",
         [] { (void)where(ones({2}, boolean), ones({3}), ones({3})); });
  refuse("where", "floating-point condition", [] { (void)where(ones({2}), ones({2}), ones({2})); });
  refuse("where", "choices that do not broadcast",
         [] { (void)where(ones({2}, boolean), ones({2}), ones({3})); });
  refuse("masked_fill", "shapes that do not broadcast",
         [] { (void)masked_fill(ones({2}), ones({3}, boolean), 0); });
  refuse("masked_fill", "floating-point mask", [] { (void)masked_fill(ones({2}), ones({2}), 0); });
  refuse("masked_fill", "mask of i64", [] { (void)masked_fill(ones({2}), ones({2}, i64), 0); });
  refuse("clamp", "no bound", [] { (void)clamp(ones({2}), {}, {}); });
  refuse("clamp", "nan as lower bound", [] { (void)clamp(ones({2}), std::nan(""), {}); });
  refuse("clamp", "nan as upper bound", [] { (void)clamp(ones({2}), {}, std::nan("")); });
}

}  // namespace

Cases elementwise_cases() {
  Cases result;
  all_unary(result);
  all_binary(result);
  picking(result);
  refusals(result);
  return result;
}

}  // namespace slope
