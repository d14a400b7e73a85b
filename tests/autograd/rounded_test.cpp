// What nodes keep in bf16 under Autocast(bf16): how much memory that saves, that gradients are
// those of rounded values, however often and by whom they are read.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/node.h>
#include <slope/autograd/ops.h>
#include <slope/core/product/autocast.h>

#include <cmath>

using namespace slope;

namespace {

int64_t saved_bytes(const Tensor& y) {
  int64_t bytes = 0;
  for (const SavedValue& value : gradient_node(y)->saved) bytes += value.bytes();
  return bytes;
}

Tensor rounded_data(const Tensor& x) { return x.detach().to(bf16).to(f32); }
double difference(const Tensor& a, const Tensor& b) {
  return (a.detach() - b.detach()).abs().max().item();
}

constexpr int64_t n = 128;  // n * n elements are worth rounding

}  // namespace

TEST_CASE("rounded: saved inputs and outputs take half the memory, those of leaves stay") {
  manual_seed(1);
  const Tensor x = randn({n, n}).set_requires_grad(), w = randn({n, n}).set_requires_grad();
  const int64_t whole = n * n * 4, half = n * n * 2;
  const auto bytes = [&](DType precision, const auto& f, const Tensor& input) {
    const Autocast autocast(precision);
    return saved_bytes(f(input));
  };
  const auto of_gelu = [](const Tensor& t) { return gelu(t); };
  const auto of_relu = [](const Tensor& t) { return relu(t); };
  const auto of_linear = [&](const Tensor& t) { return linear(t, w); };
  const auto of_log = [](const Tensor& t) { return log(t); };
  CHECK(bytes(f32, of_gelu, x * 2) == whole);
  CHECK(bytes(bf16, of_gelu, x * 2) == half);
  CHECK(bytes(bf16, of_gelu, x) == whole);  // a leaf
  CHECK(bytes(bf16, of_relu, x) == half);   // its output
  CHECK(bytes(f32, of_relu, x) == whole);
  CHECK(bytes(bf16, of_linear, x * 2) == half + whole);  // and w
  CHECK(bytes(bf16, of_linear, tanh(x)) == 2 * whole);   // tanh keeps its output in f32
  CHECK(bytes(bf16, of_log, x * 2) == whole);            // 1 / x is not forgiving
  CHECK(bytes(bf16, of_gelu, randn({5, 5}).set_requires_grad() * 2) == 100);  // too small
}

TEST_CASE("rounded: the derivative reads rounded values, again under retain_graph") {
  manual_seed(2);
  const Tensor x = randn({n, n}).set_requires_grad();
  const auto d_gelu = [](const Tensor& at) {
    const Tensor leaf = at.detach().clone().set_requires_grad();
    gelu(leaf).sum().backward();
    return leaf.grad();
  };
  Tensor y;
  {
    const Autocast autocast(bf16);
    y = gelu(x * 2).sum();
  }
  y.backward({}, true);
  const Tensor expected = d_gelu(rounded_data(x * 2)) * 2;
  CHECK(difference(x.grad(), expected) == 0);
  x.set_grad({});
  y.backward();
  CHECK(difference(x.grad(), expected) == 0);
}

TEST_CASE("rounded: parts of one tensor share what is kept of it, and their gradient") {
  manual_seed(3);
  const Tensor x = randn({n, 3 * n}).set_requires_grad();
  const Autocast autocast(bf16);
  const Tensor qkv = x * 1.5;
  Tensors parts;
  for (int64_t i = 0; i < 3; ++i) parts.push_back(qkv.narrow(1, i * n, n).unsqueeze(0));
  const Tensor o = scaled_dot_product_attention(parts[0], parts[1], parts[2]);
  const auto& saved = gradient_node(o)->saved;
  REQUIRE(saved.size() >= 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(saved[i].rounded);
    CHECK(saved[i].storage == saved[0].storage);
  }
  o.sum().backward();
  CHECK(std::isfinite(x.grad().sum().item()));
  CHECK(x.grad().abs().max().item() > 0);
}

TEST_CASE("rounded: a second derivative, and a saved value that was written to") {
  manual_seed(4);
  const Tensor x = randn({n, n}).set_requires_grad();
  const Autocast autocast(bf16);
  const Tensor h = x * 1.0, y = gelu(h).sum();
  const Tensor dx = grad({y}, {x}, {.create_graph = true})[0];
  dx.sum().backward();
  Tensor expected;
  {
    const Autocast exact(f32);
    const Tensor leaf = rounded_data(x).set_requires_grad();
    grad({gelu(leaf).sum()}, {leaf}, {.create_graph = true})[0].sum().backward();
    expected = leaf.grad();
  }
  CHECK(difference(x.grad(), expected) < 1e-5);
  const Tensor again = x * 1.0;
  const auto first = gelu(again);
  again.detach().write<float>()[0] = 100;  // the kept numbers are a copy: nothing to refuse
  const auto second = gelu(again);
  CHECK(gradient_node(first)->saved[0].storage != gradient_node(second)->saved[0].storage);
}
