// Derivatives of whole functions, compared with PyTorch's and with each other.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/functional/functional.h>
#include <slope/core/files/safetensors.h>
#include <slope/tests/file_text.h>

#include <cmath>
#include <map>
#include <string>

#include "planted.h"

using namespace slope;
using namespace slope::functional;
using test::values;

namespace {

bool is_close(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return false;
  const std::vector<double> x = a.detach().to_vector(), y = b.detach().to_vector();
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= 1e-10 * std::max(1.0, std::abs(y[i])))) return false;
  return true;
}

// The functions of tests/golden/functional.py, by name.
const std::map<std::string, TensorFunction> functions{
    {"product", [](const Tensors& x) { return Tensors{x[0] * x[1]}; }},
    {"matmul", [](const Tensors& x) { return Tensors{matmul(x[0], x[1])}; }},
    {"softmax", [](const Tensors& x) { return Tensors{softmax(x[0], -1)}; }},
    {"log_softmax", [](const Tensors& x) { return Tensors{log_softmax(x[0], 0)}; }},
    {"two_outputs",
     [](const Tensors& x) {
       return Tensors{sin(x[0]) * x[1], exp(x[1])};
     }},
    {"tanh_mlp", [](const Tensors& x) { return Tensors{matmul(tanh(matmul(x[0], x[1])), x[2])}; }},
    {"layer_norm", [](const Tensors& x) { return Tensors{layer_norm(x[0], x[1], x[2])}; }},
    {"gelu", [](const Tensors& x) { return Tensors{gelu(x[0])}; }},
    {"cumsum", [](const Tensors& x) { return Tensors{cumsum(x[0] * x[0], 1)}; }},
    {"logsumexp", [](const Tensors& x) { return Tensors{logsumexp(x[0], {1})}; }},
    {"attention",
     [](const Tensors& x) {
       return Tensors{matmul(softmax(matmul(x[0], x[1].transpose(-1, -2)) / 2.0, -1), x[2])};
     }},
    {"constant",
     [](const Tensors& x) {
       return Tensors{x[0] * 3.0, ones({2}, f64)};
     }},
    {"sum_of_cubes", [](const Tensors& x) { return Tensors{sum(x[0] * x[0] * x[0])}; }},
    {"quadratic", [](const Tensors& x) { return Tensors{sum(matmul(x[0], x[1]) * x[0])}; }},
    {"rosenbrock",
     [](const Tensors& x) {
       const Tensor a = x[0].narrow(0, 0, 3), b = x[0].narrow(0, 1, 3);
       return Tensors{sum(100.0 * pow(b - a * a, 2) + pow(1.0 - a, 2))};
     }},
    {"cross_entropy",
     [](const Tensors& x) {
       return Tensors{cross_entropy(matmul(x[0], x[1]), tensor({0, 2, 1}))};
     }},
    {"norm", [](const Tensors& x) { return Tensors{norm(x[0])}; }},
    {"mixed", [](const Tensors& x) { return Tensors{sum(sin(x[0]) * exp(x[1])) + prod(x[1])}; }},
};

struct Golden {
  std::map<std::string, Tensor> tensors;
  Golden() {
    const std::string file = SLOPE_GOLDEN "/functional.safetensors";
    for (const NamedTensor& t : parse_safetensors(test::file_text(file), file).tensors)
      tensors[t.name] = t.tensor;
  }
  // CASE/what0, CASE/what1, …
  Tensors list(const std::string& name) const {
    Tensors result;
    for (size_t i = 0; tensors.contains(fmt::format("{}{}", name, i)); ++i)
      result.push_back(tensors.at(fmt::format("{}{}", name, i)));
    return result;
  }
};

void check_list(const Tensors& found, const Tensors& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(!found[i].requires_grad());
    CHECK(is_close(found[i], expected[i]));
  }
}

Tensors flat(const std::vector<Tensors>& blocks) {
  Tensors result;
  for (const Tensors& row : blocks) result.insert(result.end(), row.begin(), row.end());
  return result;
}

}  // namespace

TEST_CASE("functional: vjp, jvp, jacobian, hessian, hvp and vhp are PyTorch's") {
  const Golden golden;
  int cases = 0;
  for (const auto& [name, f] : functions)
    for (int seed = 0;; ++seed) {
      const std::string at = fmt::format("{}.{}/", name, seed);
      const Tensors x = golden.list(at + "input");
      if (x.empty()) break;
      CAPTURE(at);
      const auto check = [&](const std::string& what, const Tensors& found) {
        check_list(found, golden.list(at + what));
        ++cases;
      };
      const Tensors dx = golden.list(at + "dx"), u = golden.list(at + "u");
      check("output", vjp(f, x, u).outputs);
      check("vjp", vjp(f, x, u).values);
      check("jvp", jvp(f, x, dx).values);
      check("jacobian", flat(jacobian(f, x)));
      if (golden.list(at + "hessian").empty()) continue;
      check("hessian", flat(hessian(f, x)));
      check("hvp", hvp(f, x, dx).values);
      check("vhp", vhp(f, x, dx).values);
    }
  CHECK(cases >= 100);
}

TEST_CASE("functional: each against the others: J v, u J, and their product; H is symmetric") {
  const TensorFunction f = [](const Tensors& x) { return Tensors{tanh(matmul(x[0], x[1]))}; };
  const Tensors x{values({2, 3}), values({3, 2}, 2)}, v{values({2, 3}, 3), values({3, 2}, 4)},
      u{values({2, 2}, 5)};
  const auto flatten = [](const Tensor& t) { return t.reshape({t.numel()}); };
  const std::vector<Tensors> J = jacobian(f, x);
  REQUIRE(J.size() == 1);
  REQUIRE(J[0].size() == 2);
  CHECK(J[0][1].shape() == Dims{2, 2, 3, 2});
  Tensor Jv = zeros({4}, f64);
  const Tensors uJ = vjp(f, x, u).values;
  for (size_t i = 0; i < 2; ++i) {
    const Tensor block = J[0][i].reshape({4, 6});
    Jv = Jv + matmul(block, flatten(v[i].detach()).unsqueeze(1)).reshape({4});
    CHECK(
        is_close(flatten(uJ[i]), matmul(flatten(u[0].detach()).unsqueeze(0), block).reshape({6})));
  }
  CHECK(is_close(flatten(jvp(f, x, v).values[0]), Jv));

  const TensorFunction loss = [&](const Tensors& in) { return Tensors{sum(f(in)[0])}; };
  const std::vector<Tensors> H = hessian(loss, x);
  CHECK(is_close(H[0][1].reshape({6, 6}), H[1][0].reshape({6, 6}).transpose(0, 1)));
  const Tensors Hv = hvp(loss, x, v).values, vH = vhp(loss, x, v).values;
  for (size_t i = 0; i < 2; ++i) CHECK(is_close(Hv[i], vH[i]));
}

TEST_CASE("functional: with create_graph the results have derivatives; else none") {
  const Tensor x = values({3});
  const TensorFunction cube = [](const Tensors& in) { return Tensors{in[0] * in[0] * in[0]}; };
  const Tensor J = jacobian(cube, {x}, {.create_graph = true})[0][0];
  CHECK(is_close(grad({sum(J)}, {x})[0], 6 * x));
  CHECK(is_close(grad({jvp(cube, {x}, {ones({3}, f64)}, {.create_graph = true}).values[0]}, {x},
                      {.grad_outputs = {ones({3}, f64)}})[0],
                 6 * x));
  CHECK(!jacobian(cube, {x})[0][0].requires_grad());
  CHECK(!x.grad().defined());
}

TEST_CASE(
    "functional: what does not depend has zeros, and is refused with strict; v that do not fit") {
  const Tensors x{values({2}), values({3}, 2)};
  const TensorFunction f = [](const Tensors& in) { return Tensors{in[0] * 2.0}; };
  CHECK(is_close(vjp(f, x, {ones({2}, f64)}).values[1], zeros({3}, f64)));
  const TensorFunction linear = [](const Tensors& in) { return Tensors{sum(in[0] * 3.0)}; };
  const Tensors two{ones({2}, f64)};
  CHECK(hessian(linear, two)[0][0].to_vector() == std::vector<double>(4));
  const std::string why = ": gradient 0 does not depend on any input; strict asks that it does";
  CHECK_THROWS_WITH_AS((void)hessian(linear, two, {.strict = true}), ("hessian" + why).c_str(),
                       AutogradError);
  CHECK_THROWS_WITH_AS((void)hvp(linear, two, two, {.strict = true}), ("hvp" + why).c_str(),
                       AutogradError);
  CHECK_THROWS_WITH_AS((void)vhp(linear, two, two, {.strict = true}), ("vhp" + why).c_str(),
                       AutogradError);
  CHECK_THROWS_WITH_AS((void)vjp(f, x, {ones({2}, f64)}, {.strict = true}),
                       doctest::Contains("do not depend on input 1"), AutogradError);
  CHECK_THROWS_WITH_AS((void)vjp(f, x), doctest::Contains("v can be left out only for"),
                       UsageError);
  CHECK_THROWS_WITH_AS((void)jvp(f, x, {ones({2}, f64)}),
                       doctest::Contains("v has 1 tensors for 2 inputs"), ShapeError);
  CHECK_THROWS_WITH_AS((void)hessian(f, x), doctest::Contains("one output of one element"),
                       UsageError);
}

TEST_CASE("functional: gradients of each sample alone add up to that of the sum") {
  const Tensor w = values({4, 2}), b = values({2}, 2), x = values({5, 4}, 3).detach(),
               y = values({5, 2}, 4).detach();
  const auto loss = [&](const Tensors& batch) {
    return sum(pow(tanh(matmul(batch[0], w) + b) - batch[1], 2));
  };
  const Tensors each = per_sample_gradients(loss, {x, y}, {w, b});
  CHECK(each[0].shape() == Dims{5, 4, 2});
  CHECK(each[1].shape() == Dims{5, 2});
  const Tensors all = grad({loss({x, y})}, {w, b});
  for (size_t i = 0; i < 2; ++i) CHECK(is_close(sum(each[i], {0}), all[i]));
  const Tensors second = grad({loss({x.narrow(0, 2, 1), y.narrow(0, 2, 1)})}, {w, b});
  CHECK(is_close(each[0].select(0, 2), second[0]));
}

TEST_CASE("functional: gradients of each sample also under NoGrad; a constant has none") {
  const Tensor w = values({2}), x = values({3, 2}, 2).detach();
  const auto loss = [&](const Tensors& batch) { return sum(batch[0] * w); };
  const NoGrad no_grad;
  CHECK(per_sample_gradients(loss, {x}, {w})[0].to_vector() == x.to_vector());
  CHECK_THROWS_WITH_AS((void)per_sample_gradients(loss, {x}, {w, w.detach()}),
                       doctest::Contains("parameter 1 requires no gradient"), AutogradError);
}
