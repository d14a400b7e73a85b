// Hooks, and gradients passed in by the caller: what is allowed, and what is refused before
// anything changes.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/checkpoint.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/tests/leaf.h>
#if !defined(SLOPE_PLAIN)
#include <thread>
#endif

using namespace slope;
using slope::test::leaf;

namespace {
using Values = std::vector<double>;
}  // namespace

TEST_CASE(
    "hooks: a leaf's hook sees its whole gradient once, also where a checkpoint uses the leaf") {
  const Tensor w = leaf({1., 3.}), x = leaf({2., 5.});
  int calls = 0;
  w.register_hook([&](const Tensor& g) {
    ++calls;
    return g * 2;
  });
  (sum(checkpoint([&](const Tensors& in) { return in[0] * w; }, {x})) + sum(w)).backward();
  CHECK(calls == 1);
  CHECK(w.grad().to_vector() == Values{6, 12});  // 2 (x + 1)
}

TEST_CASE("hooks: grad runs those of the inputs that were asked for, and of no other leaf") {
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.});
  int of_a = 0, of_b = 0;
  a.register_hook([&](const Tensor&) { return ++of_a, Tensor(); });
  b.register_hook([&](const Tensor&) { return ++of_b, Tensor(); });
  CHECK(grad({sum(a * b)}, {a})[0].to_vector() == Values{3, 4});
  CHECK(grad({sum(a), b}, {a}, {.grad_outputs = {Tensor(), ones({2}, f64)}})[0].to_vector() ==
        Values{1, 1});
  CHECK(of_a == 2);
  CHECK(of_b == 0);
}

TEST_CASE("hooks: what they compute is recorded only where the pass records") {
  const Tensor x = leaf({1., 2.}), w = leaf({3., 4.}), y = x * 2;
  y.register_hook([&](const Tensor& g) { return g * w; });
  x.register_hook([&](const Tensor& g) { return g * w; });
  CHECK_FALSE(grad({sum(y)}, {x}, {.retain_graph = true})[0].requires_grad());
  CHECK(grad({sum(y)}, {x}, {.create_graph = true})[0].requires_grad());
}

TEST_CASE("hooks: one may register another on the same result") {
  const Tensor x = leaf({1., 2.}), y = x * x;
  int calls = 0;
  y.register_hook([&](const Tensor&) {
    for (int i = 0; i < 50; ++i) y.register_hook([&](const Tensor&) { return ++calls, Tensor(); });
    return Tensor();
  });
  const Tensor z = sum(y);
  z.backward({}, true);
  CHECK(calls == 0);  // hooks take effect from the next pass on
  z.backward();
  CHECK(calls == 50);
}

TEST_CASE("hooks: a result of another shape or dtype is refused, and no gradient has changed") {
  for (const auto& hook : {Hook([](const Tensor& g) { return sum(g); }),
                           Hook([](const Tensor& g) { return to(g, f32); })}) {
    const Tensor a = leaf({1., 2.}), b = leaf({3., 4.});
    b.register_hook(hook);
    CHECK_THROWS_AS(sum(a * b).backward(), Error);
    CHECK_FALSE(a.grad().defined());
    CHECK_FALSE(b.grad().defined());
  }
}

TEST_CASE("hooks: a checkpoint runs none of an input whose gradient nobody wants") {
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.}), h = a * 2;
  int calls = 0;
  h.register_hook([&](const Tensor&) { return ++calls, Tensor(); });
  h.retain_grad();
  const Tensor y = sum(checkpoint([](const Tensors& in) { return in[0] * in[1]; }, {h, b}));
  CHECK(grad({y}, {b}, {.retain_graph = true})[0].to_vector() == Values{2, 4});
  const Tensor db = grad({y}, {b}, {.create_graph = true})[0];
  CHECK(db.detach().to_vector() == Values{2, 4});
  CHECK(calls == 0);
  CHECK_FALSE(h.grad().defined());
  CHECK(grad({sum(db)}, {a})[0].to_vector() == Values{2, 2});  // goes through h
  CHECK(calls == 1);
  CHECK(h.grad().to_vector() == Values{1, 1});
}

TEST_CASE("hooks: a retained gradient is contiguous, and shared with nobody") {
  const Tensor x = leaf({1., 2., 3.}), a = x * 2, b = x * 3, c = x * 4,
               given = tensor({5., 6., 7.}, f64);
  for (const Tensor& y : {a, b, c}) y.retain_grad();
  sum(a).backward({}, true);
  REQUIRE(a.grad().is_contiguous());
  CHECK(a.grad().data<double>()[1] == 1);
  a.set_grad({});
  sum(a + b).backward();
  fill(a.grad(), 0);
  CHECK(b.grad().to_vector() == Values{1, 1, 1});
  backward({c}, {given});
  fill(c.grad(), 0);
  CHECK(given.to_vector() == Values{5, 6, 7});
}

TEST_CASE("hooks: an observer may read the gradients that a pass adds to") {
  struct Reader : Observer {
    Tensors tensors;
    int64_t read = 0;
    void recorded(const Recorded&) override {
      for (const Tensor& x : tensors) read += x.grad().defined();
    }
  } reader;
  const Tensor x = leaf({1., 2.}), y = x * 2, z = sum(y * y);
  y.retain_grad();
  reader.tensors = {x, y};
  const Observe observe(reader);
  for (const bool create_graph : {false, true}) z.backward({}, true, create_graph);
  CHECK(y.grad().detach().to_vector() == Values{8, 16});
  CHECK(x.grad().detach().to_vector() == Values{16, 32});
  CHECK(reader.read > 0);
  for (const Tensor& kept : {x, y}) kept.set_grad({});  // a cycle of graph and gradient would leak
}

TEST_CASE("backward: gradients of a bfloat16 result are added, in place or not") {
  const Tensor c = tensor({{1., 10.}, {100., 0.5}});
  for (const bool create_graph : {false, true}) {
    const Tensor w = tensor({{1., 2.}, {3., 4.}}).set_requires_grad(), b = w.to(bf16);
    b.retain_grad();
    const Tensor y = sum(b.to(f32)) + sum(b.transpose(0, 1).to(f32) * c);
    for (int pass = 1; pass <= 2; ++pass) {
      y.backward({}, true, create_graph);
      const double n = pass;  // dy/dw = 1 + c^T
      for (const Tensor& x : {w, b})
        CHECK(x.grad().detach().to_vector() == Values{2 * n, 101 * n, 11 * n, 1.5 * n});
      CHECK(b.grad().dtype() == bf16);
    }
    for (const Tensor& x : {w, b}) x.set_grad({});
  }
}

TEST_CASE("backward: adds to a gradient that was set as a view that overlaps itself") {
  const Tensor x = leaf({1., 2., 3.});
  x.set_grad(full({1}, 10, f64).expand({3}));
  sum(x * x).backward();
  CHECK(x.grad().to_vector() == Values{12, 14, 16});
}

TEST_CASE("roll: the derivative of the least shift there is") {
  const Tensor x = leaf({1., 2., 3.}), c = tensor({1., 10., 100.}, f64);
  const Tensor y = roll(x, {INT64_MIN}, {0});
  sum(y * c).backward();
  Tensor inverse = x.grad();
  CHECK(sum(y * c).item() == doctest::Approx(sum(x * inverse).item()));
  CHECK(sum(inverse * x).item() == doctest::Approx(sum(roll(x, {INT64_MIN}, {0}) * c).item()));
}

#if !defined(SLOPE_PLAIN)
TEST_CASE("backward: what was refused leaves nothing behind") {
  const Tensor w = leaf({2., 3.});
  const Tensor h = tanh(w * w), y = sum(h), z = sum(h * h);
  bool refused = false;
  h.register_hook([&](const Tensor&) {
    if (!refused)
      std::thread([&] {
        try {
          z.backward({}, true);
        } catch (const AutogradError&) {
          refused = true;
        }
      }).join();
    return Tensor();
  });
  y.backward({}, true);
  CHECK(refused);
  const Tensor expected = grad({z}, {w}, {.retain_graph = true})[0];
  w.set_grad({});
  z.backward({}, true);
  CHECK(equal(w.grad(), expected));
}
#endif

TEST_CASE(
    "hooks: a gradient that was set before the tensor became a result is retained as others") {
  const Op twice{.name = "twice",
                 .formula = [](const Saved&, const Tensor& g) { return Grads{g * 2.0}; }};
  const Tensor x = tensor({3.0}).set_requires_grad();
  const Tensor made = x.detach() * 2.0;
  made.set_grad(zeros({1}));
  const Tensor y = twice.record(made, {x});
  y.set_grad({});
  y.retain_grad();
  (y * 5.0).backward(ones({1}));
  CHECK(y.grad().item() == 5);
  CHECK(x.grad().item() == 10);
}
