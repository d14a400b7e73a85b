// The tape: the promises of backward and grad that hold for all operations.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/memory/memory.h>
#include <slope/tests/leaf.h>

#include <cmath>
#include <limits>
#include <string>
#if !defined(SLOPE_PLAIN)
#include <thread>
#endif

using namespace slope;
using slope::test::leaf;

namespace {
template <class E = AutogradError>
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("backward: micrograd's example") {
  // a = -4, b = 2 in the README of micrograd: g = 24.7041, dg/da = 138.8338, dg/db = 645.5773
  const Tensor a = leaf(-4.0), b = leaf(2.0);
  Tensor c = a + b;
  Tensor d = a * b + pow(b, 3);
  c = c + c + 1;
  c = c + 1 + c + (-a);
  d = d + d * 2 + relu(b + a);
  d = d + 3 * d + relu(b - a);
  const Tensor e = c - d, f = pow(e, 2);
  const Tensor g = f / 2 + 10.0 / f;
  g.backward();
  CHECK(g.item() == doctest::Approx(24.7041).epsilon(1e-5));
  CHECK(a.grad().item() == doctest::Approx(138.8338).epsilon(1e-6));
  CHECK(b.grad().item() == doctest::Approx(645.5773).epsilon(1e-6));
}

TEST_CASE(
    "backward: a value used several times collects all its gradients, and two passes add up") {
  const Tensor a = leaf(1.0);
  const Tensor b = a + a, c = b + b;
  c.backward({}, true);
  CHECK(a.grad().item() == 4);
  c.backward();
  CHECK(a.grad().item() == 8);
}

TEST_CASE("backward: gradients are summed over what broadcasting repeated") {
  const Tensor x = leaf({{1., 2., 3.}, {4., 5., 6.}}), row = leaf({10., 20., 30.}),
               scalar = leaf(2.0);
  sum(x * row + scalar).backward();
  CHECK(equal(row.grad(), tensor({5., 7., 9.}, f64)));
  CHECK(scalar.grad().item() == 6);
  CHECK(equal(x.grad(), tensor({{10., 20., 30.}, {10., 20., 30.}}, f64)));
}

TEST_CASE("backward: two leaves never share one gradient") {
  const Tensor a = leaf({1., 2.}), b = leaf({3., 4.});
  sum(a + b).backward();
  fill(a.grad(), 7);
  CHECK(equal(b.grad(), tensor({1., 1.}, f64)));
}

TEST_CASE(
    "backward: with the gradient recorded too, what a leaf is given is shared with nobody; the "
    "next pass adds in place") {
  const Tensor a = leaf({1.}), b = leaf({2.}), flowing = tensor({1.}, f64);
  const Tensor c = a + b;
  c.retain_grad();
  sum(c * c).backward({}, false, true);
  sum(a * 10).backward();
  CHECK(a.grad().item() == 16);
  CHECK(b.grad().item() == 6);
  CHECK(c.grad().item() == 6);
  const Tensor d = leaf({1.});
  backward({d + 0.0}, {flowing}, {.create_graph = true});
  sum(d * 3).backward();
  CHECK(d.grad().item() == 4);
  CHECK(flowing.item() == 1);
  for (const Tensor& x : {a, b, c, d}) x.set_grad({});  // a cycle of graph and gradient would leak
}

TEST_CASE("backward: a derivative writes over no gradient that somebody asked for, keeps or gave") {
  const Tensor x = leaf({1., 2.}), c = tensor({3., -5.}, f64), given = clone(c);
  for (const bool drops : {false, true}) {
    const auto f = [&](const Tensor& h) { return drops ? dropout(h, 0.5) : tanh(h); };
    const Tensor y = f(x * 2);
    CHECK(equal(grad({sum(y * c)}, {y, x}, {.retain_graph = true})[0], c));  // y's own gradient
    Tensor seen;
    y.register_hook([&](const Tensor& g) { return seen = g, Tensor(); });
    y.retain_grad();
    backward({y}, {given}, {.retain_graph = true});
    CHECK(equal(given, c));
    sum(y * c).backward();
    CHECK(equal(seen, c));
    CHECK(equal(y.grad(), c * 2));
  }
}

TEST_CASE("backward: what cannot be differentiated is refused, saying why") {
  const Tensor x = leaf({1., 2.});
  CHECK(contains(message_of([&] { (x * 2).backward(); }), "one element"));
  CHECK(contains(message_of([&] { sum(x.detach() * 2).backward(); }), "requires one"));
  const Tensor y = sum(exp(x));
  y.backward();
  CHECK(contains(message_of([&] { y.backward(); }), "retain_graph"));
  CHECK(contains(message_of<ShapeError>([&] { (x * 2).backward(ones({3}, f64)); }), "(3,)"));
  CHECK(contains(message_of([&] { (void)grad({sum(x)}, {leaf(1.0)}); }), "allow_unused"));
  CHECK_THROWS_AS(arange(3).set_requires_grad(), DTypeError);
}

TEST_CASE("backward: a write after the forward is found out, and only a write that matters") {
  const Tensor x = leaf({1., 2.}), w = leaf({3., 4.});
  const Tensor y = sum(x * w);
  {
    const NoGrad no_grad;
    w.write<double>()[0] = 5;
  }
  CHECK(contains(message_of([&] { y.backward(); }), "mul"));
  const Tensor z = sum(x + w);  // addition saves nothing
  {
    const NoGrad no_grad;
    w.write<double>()[0] = 6;
  }
  z.backward();
  CHECK(equal(x.grad(), ones({2}, f64)));
  CHECK_THROWS_AS((void)w.write<double>(), AutogradError);  // outside NoGrad
}

TEST_CASE(
    "grad: leaves stay as they are; intermediate results may be inputs; undefined where unused") {
  const Tensor a = leaf(2.0), b = leaf(3.0), unused = leaf(1.0);
  const Tensor c = a * b, d = c * c;
  const Tensors g = grad({d}, {a, c, unused}, {.allow_unused = true});
  CHECK(g[0].item() == 36);
  CHECK(g[1].item() == 12);
  CHECK_FALSE(g[2].defined());
  CHECK_FALSE(a.grad().defined());
}

TEST_CASE("grad: nothing is computed that nobody asked for") {
  // w's gradient: 4 MB
  const Tensor x = ones({1, 1024}).set_requires_grad(), w = ones({1024, 1024}).set_requires_grad();
  const Tensor y = sum(linear(tanh(linear(x, w)), w));
  const int64_t before = (memory::reset_peak(), memory::stats().live);
  CHECK(grad({y}, {x})[0].defined());
  CHECK(memory::stats().peak - before < 1 << 20);
}

TEST_CASE(
    "grad: a leaf that was given other memory after the forward is found out where the gradient is "
    "recorded") {
  const Tensor x = leaf({2.}), w = leaf({3.});
  const Tensor y = sum(x * w);
  std::swap(w.impl().storage, tensor({100.}, f64).impl().storage);
  CHECK(grad({y}, {x}, {.retain_graph = true})[0].item() == 3);
  CHECK(
      contains(message_of([&] { (void)grad({y}, {x}, {.create_graph = true}); }), "other memory"));
}

TEST_CASE("grad: higher derivatives of x^4") {
  const Tensor x = leaf(2.0);
  Tensor y = pow(x, 4);
  for (double expected : {32.0, 48.0, 48.0, 24.0}) {
    y = grad({y}, {x}, {.create_graph = true})[0];
    CHECK(y.item() == doctest::Approx(expected));
  }
}

TEST_CASE("hooks: see and change gradients, of leaves and of results; retain_grad keeps them") {
  const Tensor x = leaf(3.0);
  Tensor y = x * x, z = y * 2;
  double seen = 0;
  y.register_hook([&](const Tensor& g) {
    seen = g.item();
    return g * 10;
  });
  x.register_hook([](const Tensor& g) { return g + 1; });
  y.retain_grad();
  z.backward();
  CHECK(seen == 2);
  CHECK(y.grad().item() == 20);
  CHECK(x.grad().item() == 121);
}

TEST_CASE("grad mode: no_grad records nothing and is restored by an exception") {
  const Tensor x = leaf(3.0);
  try {
    const NoGrad no_grad;
    CHECK_FALSE((x * x).requires_grad());
    {
      const EnableGrad enable_grad;
      CHECK((x * x).requires_grad());
    }
    throw 1;
  } catch (int) {
  }
  CHECK((x * x).requires_grad());
}

TEST_CASE("backward: a leaf that no longer asks for a gradient gets none") {
  const Tensor w = leaf({2.}), x = leaf({3.});
  const Tensor y = sum(w * x);
  w.set_requires_grad(false);
  y.backward();
  CHECK_FALSE(w.grad().defined());
  CHECK(x.grad().item() == 2);
}

TEST_CASE("anomaly mode: names the operation, its making and the element") {
  const Tensor x = leaf({1., 0.});
  const DetectAnomaly anomaly;
  const std::string text = message_of<NumericError>([&] { sum(sqrt(x) * 0).backward(); });
  CHECK_MESSAGE(contains(text, "sqrt"), text);
  CHECK_MESSAGE(contains(text, "element 1"), text);
}

TEST_CASE("engine: what a rule returns is checked") {
  static const Op wrong_shape{.name = "wrong_shape", .formula = [](const Saved&, const Tensor&) {
                                return Grads{ones({5}, f64)};
                              }};
  static const Op wrong_count{.name = "wrong_count", .formula = [](const Saved&, const Tensor& g) {
                                return Grads{g, g};
                              }};
  static const Op wrong_dtype{.name = "wrong_dtype", .formula = [](const Saved&, const Tensor& g) {
                                return Grads{to(g, f32)};
                              }};
  const Tensor x = leaf({1., 2.});
  for (const Op* op : {&wrong_shape, &wrong_count, &wrong_dtype})
    CHECK(contains(message_of([&] { sum(op->record(contiguous_copy(x), {x})).backward(); }),
                   op->name));
}

TEST_CASE("engine: an operation cannot return its input") {
  static const Op identity{.name = "identity",
                           .formula = [](const Saved&, const Tensor& g) { return Grads{g}; }};
  const Tensor x = leaf({1., 2.});
  CHECK(contains(message_of([&] { (void)identity.record(x, {x}); }), "identity"));
  CHECK(x.is_leaf());
}

TEST_CASE(
    "engine: a rule that throws changes no gradient and leaks nothing; the graph can be run "
    "again") {
  static bool fails = true;
  static const Op moody{.name = "moody", .formula = [](const Saved&, const Tensor& g) {
                          if (fails) throw std::runtime_error("moody");
                          return Grads{g};
                        }};
  const Tensor a = leaf(1.0), b = leaf(2.0);
  const int64_t before = memory::stats().live;
  {
    const Tensor y = moody.record(contiguous_copy(a), {a}) + b * 3;
    fails = true;
    CHECK_THROWS_AS(y.backward({}, true), std::runtime_error);
    CHECK_FALSE(b.grad().defined());
    fails = false;
    y.backward();
    CHECK(b.grad().item() == 3);
    a.set_grad({});
    b.set_grad({});
  }
  CHECK(memory::stats().live == before);
}

TEST_CASE(
    "engine: every allocation of a forward and backward may fail, and nothing is left behind") {
  const Tensor x = leaf({{1., 2.}, {3., 4.}}), w = leaf({{1., 0.}, {0., 1.}});
  const auto step = [&] { sum(tanh(x * w) + exp(w)).backward(); };
  step();
  const Tensor expected = contiguous_copy(w.grad());
  const int64_t before = memory::stats().live;
  int failures = 0;
  for (int64_t n = 1; n < 1000; ++n) {
    x.set_grad({}), w.set_grad({});
    const int64_t live = memory::stats().live;
    memory::fail_allocation(n);
    try {
      step();
      memory::fail_allocation(0);
      break;
    } catch (const MemoryError&) {
      ++failures;
    }
    CHECK_FALSE(w.grad().defined());
    CHECK(memory::stats().live == live);
  }
  CHECK(failures > 10);
  CHECK(equal(w.grad(), expected));
  CHECK(memory::stats().live == before);
}

#if !defined(SLOPE_PLAIN)
TEST_CASE(
    "engine: two threads differentiate their own graphs of shared parameters; one graph in two "
    "hands is refused") {
  const Tensor w = leaf({2., 3.});
  const auto work = [&](Tensor& out) {
    for (int i = 0; i < 200; ++i) out = grad({sum(tanh(w * w))}, {w})[0];
  };
  Tensor a, b;
  std::thread one([&] { work(a); }), two([&] { work(b); });
  one.join(), two.join();
  CHECK(equal(a, b));

  const Tensor y = sum(w * w);
  std::string refused;
  y.retain_grad();
  y.register_hook([&](const Tensor&) {
    std::thread other([&] { refused = message_of([&] { y.backward({}, true); }); });
    other.join();
    return Tensor();
  });
  y.backward();
  CHECK_MESSAGE(contains(refused, "another thread"), refused);
}
#endif
