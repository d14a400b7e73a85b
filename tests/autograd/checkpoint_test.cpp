// checkpoint: the gradients of the function itself, while its intermediate values are not kept.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/checkpoint.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/random.h>
#include <slope/tests/leaf.h>

#include <functional>
#include <vector>

using namespace slope;
using slope::test::leaf;

TEST_CASE(
    "checkpoint: the same values and gradients, of inputs and of leaves that the function reaches; "
    "also twice") {
  const Tensor w = leaf({0.5, -0.25}), x = leaf({1., 2.});
  const auto f = [&](const Tensors& in) { return dropout(tanh(in[0] * w), 0.3) * in[0]; };
  const auto run = [&](bool checkpointed) {
    manual_seed(5);
    const Tensor y = sum(checkpointed ? checkpoint(f, {x}) : f({x}));
    Tensors g = grad({y}, {x, w}, {.create_graph = true});
    const Tensors gg = grad({sum(g[0]) + sum(g[1])}, {x, w});
    g.insert(g.end(), gg.begin(), gg.end());
    g.push_back(y);
    return g;
  };
  const Tensors straight = run(false), again = run(true);
  for (size_t i = 0; i < straight.size(); ++i)
    CHECK(equal(straight[i].detach(), again[i].detach()));
}

TEST_CASE("checkpoint: a leaf that a step and what came before it share counts once at each use") {
  const Tensor w = leaf({3.});
  const auto step = [&](const Tensors& in) { return tanh(in[0] * w); };
  const auto nested = [&](const Tensors& in) {
    return checkpoint([&](const Tensors& inner) { return inner[0] * w * w; }, {in[0] * w}) * w;
  };
  const auto derivatives = [&](const std::function<Tensor()>& f) {
    std::vector<double> values;
    for (bool create_graph : {false, true}) {
      const Tensor first = grad({sum(f())}, {w}, {.create_graph = create_graph})[0];
      values.push_back(first.item());
      if (create_graph) values.push_back(grad({first}, {w})[0].item());
    }
    return values;
  };
  const auto recurrent = [&](bool checkpointed) {
    return [=] {
      Tensor h = w * 0.25;
      for (int t = 0; t < 3; ++t) h = checkpointed ? checkpoint(step, {h}) : step({h});
      return h;
    };
  };
  const std::vector<double> straight = derivatives(recurrent(false)),
                            again = derivatives(recurrent(true));
  for (size_t i = 0; i < straight.size(); ++i)
    CHECK(again[i] == doctest::Approx(straight[i]).epsilon(1e-12));
  CHECK(derivatives([&] {
          return checkpoint([&](const Tensors& in) { return in[0] * w; }, {w * 2});
        }) == std::vector<double>{12, 12, 4});
  CHECK(derivatives([&] {
          return checkpoint([&](const Tensors& in) { return in[0] * w; }, {w});
        }) == std::vector<double>{6, 6, 2});
  CHECK(derivatives([&] { return checkpoint(nested, {w * 2}); }) ==
        std::vector<double>{810, 810, 1080});  // 2 w^5
}

TEST_CASE("checkpoint: as f alone where an input is undefined or the result needs no gradient") {
  const Tensor w = leaf({0.5, -0.25});
  const auto add_if_given = [&](const Tensors& in) {
    return in[1].defined() ? in[0] + in[1] : in[0] * w;
  };
  sum(checkpoint(add_if_given, {leaf({1., 2.}), Tensor()})).backward();
  CHECK(equal(w.grad(), tensor({1., 2.}, f64)));
  CHECK_FALSE(
      checkpoint([](const Tensors& in) { return in[0].detach() * 2; }, {w}).requires_grad());
}

TEST_CASE("checkpoint: a captured tensor that was computed before is refused by name") {
  const Tensor w = leaf({0.5, -0.25}), h = neg(w * -2.);
  CHECK_THROWS_WITH_AS((void)checkpoint([&](const Tensors& in) { return in[0] * h; }, {w}),
                       "checkpoint: the function captures a tensor that was computed before, by "
                       "neg, of shape (2,); give it as an input, or capture its detach()",
                       UsageError);
  sum(checkpoint([&](const Tensors& in) { return in[0] * h.detach(); }, {w})).backward();
  CHECK(equal(w.grad(), tensor({1., -0.5}, f64)));
}

TEST_CASE("checkpoint: a function that gives another shape, dtype or nothing in its second run") {
  const Tensor x = ones({3}).set_requires_grad();
  const auto message = [&](const std::function<Tensor(const Tensor&)>& second) {
    int runs = 0;
    const Tensor y = checkpoint(
        [&](const Tensors& in) {
          const Tensor square = in[0] * in[0];
          return runs++ == 0 ? square : second(square);
        },
        {x});
    try {
      sum(y).backward();
    } catch (const AutogradError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string start = "checkpoint: the function gave float32 (3,) at first, but ";
  CHECK(message([](const Tensor& y) {
          return y.narrow(0, 0, 1);
        }).starts_with(start + "float32 (1,) in its second run"));
  CHECK(message([](const Tensor& y) { return y.to(f64); }).starts_with(start + "float64 (3,)"));
  CHECK(message([](const Tensor&) { return Tensor(); }).starts_with(start + "an undefined tensor"));
  CHECK(message([](const Tensor& y) { return y; }).empty());
}
