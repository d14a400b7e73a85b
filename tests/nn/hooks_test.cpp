// Hooks of modules, and freezing by name.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/nn/nn.h>
#include <slope/tests/leaf.h>

#include <stdexcept>

using namespace slope;
using slope::test::leaf;
using Values = std::vector<double>;

namespace {

struct Product {
  Tensor forward(const Tensor& a, const Tensor& b) const { return a * b; }
  SLOPE_MODULE(Product)
};

struct Ignores {  // its input, for gradients
  nn::Parameter w{ones({2}, f64)};
  Tensor forward(const Tensor& x) const { return w * x.detach(); }
  SLOPE_MODULE(Ignores, w)
};

struct First {  // uses one of its inputs
  Tensor forward(const Tensor& a, const Tensor&) const { return a * 2; }
  SLOPE_MODULE(First)
};

}  // namespace

TEST_CASE("hooks: a pre-hook sees and replaces the inputs") {
  const Product product;
  auto handle = nn::register_forward_pre_hook(product, [](const Tensors& x) {
    return Tensors{x[0] + 1, x[1]};
  });
  CHECK(product(leaf({1., 2.}), leaf({3., 4.})).to_vector() == Values{6, 12});
  auto watch = nn::register_forward_pre_hook(product, [](const Tensors&) { return Tensors(); });
  CHECK(product(leaf({1., 2.}), leaf({3., 4.})).to_vector() == Values{6, 12});
  handle.remove();
  CHECK(product(leaf({1., 2.}), leaf({3., 4.})).to_vector() == Values{3, 8});
  watch.remove();
  (void)nn::register_forward_pre_hook(product, [](const Tensors& x) { return Tensors{x[0]}; });
  CHECK_THROWS_WITH_AS(product(leaf({1.}), leaf({2.})),
                       "forward pre-hook: gives 1 tensors in place of 2", UsageError);
}

TEST_CASE("hooks: a full backward hook sees the gradients of its call alone") {
  const Product product;
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.});
  std::vector<Tensors> seen;
  auto handle = nn::register_full_backward_hook(product, [&](const Tensors& dx, const Tensor& dy) {
    seen.push_back({dx[0], dx[1], dy});
    return Tensor();
  });
  sum(product(a, b) * 2 + a).backward();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0][0].to_vector() == Values{6, 8});  // without that of the other use
  CHECK(seen[0][1].to_vector() == Values{2, 4});
  CHECK(seen[0][2].to_vector() == Values{2, 2});
  CHECK(a.grad().to_vector() == Values{7, 9});
  seen.clear();
  sum(product(a, tensor({3., 4.}, f64))).backward();
  REQUIRE(seen.size() == 1);
  CHECK(!seen[0][1].defined());
  seen.clear();
  sum(product(a, a)).backward();  // one tensor twice: one gradient
  REQUIRE(seen.size() == 1);
  CHECK(seen[0][0].to_vector() == Values{2, 4});
  handle.remove();
  sum(product(a, b)).backward();
  CHECK(seen.size() == 1);
}

TEST_CASE("hooks: a full backward hook replaces the gradient of the only input") {
  const nn::Linear layer(2, 1);
  const Tensor x = ones({1, 2}).set_requires_grad();
  int calls = 0;
  auto handle = nn::register_full_backward_hook(layer, [&](const Tensors& dx, const Tensor&) {
    ++calls;
    return dx[0] * 0;
  });
  sum(layer(x)).backward();
  CHECK(x.grad().to_vector() == Values{0, 0});
  CHECK(layer.bias->grad().to_vector() == Values{1});
  CHECK(calls == 1);
  handle.remove();
  (void)nn::register_full_backward_hook(layer, [&](const Tensors&, const Tensor& dy) {
    return calls += static_cast<int>(dy.numel()), Tensor();
  });
  sum(layer(ones({1, 2}))).backward();  // no input needs a gradient
  CHECK(calls == 2);
  const Product product;
  (void)nn::register_full_backward_hook(product,
                                        [](const Tensors& dx, const Tensor&) { return dx[0]; });
  CHECK_THROWS_AS(sum(product(leaf({1.}), leaf({2.}))).backward(), UsageError);
}

TEST_CASE(
    "hooks: a full backward hook runs once in every pass, with zeros where no gradient came") {
  std::vector<Tensors> seen;
  const nn::BackwardHook see = [&](const Tensors& dx, const Tensor& dy) {
    seen.push_back({dx[0], dx[1], dy});
    return Tensor();
  };
  const First first;
  (void)nn::register_full_backward_hook(first, see);
  sum(first(leaf({1., 2.}), leaf({3., 4.}))).backward();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0][0].to_vector() == Values{2, 2});
  CHECK(seen[0][1].to_vector() == Values{0, 0});

  seen.clear();
  const Product product;
  (void)nn::register_full_backward_hook(product, see);
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.}), y = product(a, b);
  CHECK(grad({sum(y)}, {a}, {.retain_graph = true})[0].to_vector() == Values{3, 4});
  sum(y * 2).backward();
  REQUIRE(seen.size() == 2);
  CHECK(seen[0][0].to_vector() == Values{3, 4});
  CHECK(seen[0][1].to_vector() == Values{1, 2});
  CHECK(seen[0][2].to_vector() == Values{1, 1});
  CHECK(seen[1][0].to_vector() == Values{6, 8});
  CHECK(seen[1][1].to_vector() == Values{2, 4});
  CHECK(seen[1][2].to_vector() == Values{2, 2});
  const NoGrad no_grad;
  CHECK(product(a, b).to_vector() == Values{3, 8});
}

TEST_CASE("hooks: a full backward hook that throws runs again in the next pass") {
  const Product product;
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.});
  int calls = 0;
  (void)nn::register_full_backward_hook(product, [&](const Tensors&, const Tensor&) {
    if (++calls == 1) throw std::runtime_error("once");
    return Tensor();
  });
  const Tensor loss = sum(product(a, b));
  CHECK_THROWS_AS(loss.backward({}, true), std::runtime_error);
  CHECK(!a.grad().defined());
  loss.backward();
  CHECK(calls == 2);
  CHECK(a.grad().to_vector() == Values{3, 4});
  const nn::Identity same;
  (void)nn::register_full_backward_hook(
      same, [](const Tensors&, const Tensor&) { return zeros({3}, f64); });
  CHECK_THROWS_AS(sum(same(a)).backward(), ShapeError);
}

TEST_CASE("hooks: what a full backward hook returns can be differentiated") {
  const Product product;
  (void)nn::register_full_backward_hook(
      product, [](const Tensors& dx, const Tensor&) { return dx[0] * dx[0]; });
  const Tensor a = leaf({1., 3.});
  const Tensor g = grad({sum(product(a, a))}, {a}, {.create_graph = true})[0];
  CHECK(g.to_vector() == Values{4, 36});  // (2 a)^2
  CHECK(grad({sum(g)}, {a})[0].to_vector() == Values{8, 24});
}

TEST_CASE("hooks: a full backward hook keeps no graph alive") {
  const auto ignore = [](const Tensors&, const Tensor&) { return Tensor(); };
  const Product product;
  const nn::Linear layer(2, 1);
  (void)nn::register_full_backward_hook(product, ignore);
  (void)nn::register_full_backward_hook(layer, ignore);
  const Ignores ignores;
  int calls = 0;
  (void)nn::register_full_backward_hook(ignores, [&](const Tensors& dx, const Tensor&) {
    ++calls;
    CHECK(dx[0].to_vector() == Values{0, 0});
    return Tensor();
  });
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.}), x = ones({1, 2}).set_requires_grad();
  const auto run = [&] {
    const Tensor y = product(a, b), z = layer(x), c = ignores(a);
    sum(y * y + c * c).backward({}, true, true);
    // else a cycle without any hook
    for (const Tensor& each : {a, b, Tensor(ignores.w)}) each.set_grad({});
    (void)grad({sum(z * z)}, {layer.weight}, {.create_graph = true});
  };
  run();
  const int64_t before = memory::stats().live;
  run();
  CHECK(memory::stats().live == before);
  CHECK(calls == 2);
}

namespace {
struct Tied {
  nn::Linear a{3, 3, false}, b{3, 3, false};
  Tied() { nn::tie(a.weight, b.weight); }
  SLOPE_MODULE(Tied, a, b)
};
}  // namespace

TEST_CASE("set_requires_grad: a tied parameter by any of its names, counted once") {
  const Tied model;
  for (const char* name : {"a.weight", "b.weight", "*"}) {
    CHECK(nn::set_requires_grad(model, name, false) == 1);
    CHECK(!model.a.weight.requires_grad());
    CHECK(nn::set_requires_grad(model, name, true) == 1);
  }
}

TEST_CASE("set_requires_grad: parameters by name; named_children: the own parts alone") {
  const nn::Sequential net(nn::Linear(2, 3), nn::Sequential(nn::ReLU(), nn::Linear(3, 1)));
  CHECK(nn::set_requires_grad(net, "1.*", false) == 2);
  CHECK(nn::set_requires_grad(net, "bias", true) == 2);
  const NamedTensors all = nn::named_parameters(net);
  CHECK(all[0].tensor.requires_grad());
  CHECK(!all[2].tensor.requires_grad());
  CHECK(all[3].tensor.requires_grad());
  CHECK_THROWS_AS(nn::set_requires_grad(net, "encoder.*", false), UsageError);
  const auto children = nn::named_children(net);
  REQUIRE(children.size() == 2);
  CHECK(children[1].first == "1");
  CHECK(std::string(children[1].second.type()) == "Sequential");
}
