// Op::recompute: outputs that an operation can recompute are not saved by their users, and are
// recomputed bit for bit.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/memory/memory.h>
#include <slope/core/tensor/random.h>
#include <slope/tests/autograd/same_bits.h>
#include <slope/tests/leaf.h>

#include <functional>

using namespace slope;
using slope::test::random_leaf;

namespace {

constexpr int64_t N = 64, C = 96;
struct Made {
  const char* name;
  std::function<Tensor(const Tensor& x)> f;
};
const Made makers[] = {
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"layer_norm", [](const Tensor& x) { return layer_norm(x, ones({C}), zeros({C})); }},
    {"layer_norm without weight",
     [](const Tensor& x) { return layer_norm(x, Tensor(), Tensor()); }},
    {"rms_norm", [](const Tensor& x) { return rms_norm(x, ones({C})); }},
    {"dropout of what relu keeps", [](const Tensor& x) { return dropout(relu(x), 0.3, true); }},
    {"dropout of what gelu makes again",
     [](const Tensor& x) { return dropout(gelu(x), 0.3, true); }}};

}  // namespace

TEST_CASE("again: the user of a result gets the same bits, whether it was kept or made again") {
  for (const Made& made : makers) {
    CAPTURE(made.name);
    generator() = Generator{.seed = 1};
    const Tensor x = random_leaf({N, C}), w = random_leaf({C, C}), v = random_leaf({C, C}),
                 u = randn({N, C});
    const Tensor y = made.f(x);
    const Tensor kept = contiguous_copy(y.detach());
    const Tensors found = grad({linear(y, w) + linear(y, v)}, {w, v},
                               {.grad_outputs = {u}, .retain_graph = true}),
                  expected =
                      grad({linear(kept, w) + linear(kept, v)}, {w, v}, {.grad_outputs = {u}});
    CHECK(same_bits(found, expected));
  }
}

TEST_CASE("again: the result is not kept between forward and backward") {
  for (const Made& made : makers) {
    CAPTURE(made.name);
    generator() = Generator{.seed = 2};
    const Tensor x = random_leaf({N, C}), w = random_leaf({C, C});
    const int64_t result = N * C * 4, before = memory::stats().live;
    const Tensor z = linear(made.f(x), w);
    const int64_t made_and_z = memory::stats().live - before;
    const bool keeps_relu = std::string(made.name) == "dropout of what relu keeps";
    CHECK(made_and_z < result * (keeps_relu ? 3 : 2));  // z, and relu's result where it is needed
  }
}

TEST_CASE(
    "again: what is written between is seen by those who use it later, not by those who used it "
    "before") {
  const Tensor x = random_leaf({N, C}), w = random_leaf({C, C}), u = randn({N, C});
  const Tensor y = gelu(x), before = linear(y, w);
  const Tensor old = contiguous_copy(y.detach());
  {
    const NoGrad no_grad;
    copy_into(old * 2, y.detach());
  }
  const Tensor after = linear(y, w);
  const auto gradient = [&](const Tensor& z) {
    return grad({z}, {w}, {.grad_outputs = {u}, .retain_graph = true});
  };
  CHECK(same_bits(gradient(before), gradient(linear(old, w))));
  CHECK(same_bits(gradient(after), gradient(linear(old * 2, w))));
}

TEST_CASE("again: a graph that is kept gives the same gradients twice; one that is freed says so") {
  const Tensor x = random_leaf({N, C}), w = random_leaf({C, C});
  const Tensor loss = sum(linear(gelu(x), w));
  const Tensors first = grad({loss}, {x, w}, {.retain_graph = true}), second = grad({loss}, {x, w});
  CHECK(same_bits(first, second));
  CHECK_THROWS_WITH_AS(static_cast<void>(grad({loss}, {w})), doctest::Contains("retain_graph"),
                       AutogradError);
}

TEST_CASE("again: what an earlier backward has freed is kept by those who come later") {
  const Tensor x = random_leaf({N, C}), w = random_leaf({C, C});
  const Tensor y = gelu(x);
  sum(y).backward();
  const Tensor z = linear(y, w);
  CHECK(same_bits(grad({sum(z)}, {w}), grad({sum(linear(contiguous_copy(y.detach()), w))}, {w})));
}

TEST_CASE("again: a long chain of such operations is made again in short stretches") {
  const Tensor x = tensor({0.5}, f64).set_requires_grad();
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i) y = i % 2 ? sin(y) : -y;
  sum(y).backward();
  CHECK(x.grad().defined());
}

TEST_CASE(
    "again: an allocation that fails while a result is made again leaves nothing behind, and "
    "backward can be run again") {
  const Tensor x = random_leaf({N, C}), w = random_leaf({C, C});
  const Tensor loss = sum(linear(gelu(layer_norm(x, Tensor(), Tensor())), w));
  const Tensor expected = grad({loss}, {w}, {.retain_graph = true})[0];
  const Tensor again = sum(linear(gelu(layer_norm(x, Tensor(), Tensor())), w));
  int failures = 0;
  for (int64_t n = 1; n < 100; ++n) {
    memory::fail_allocation(n);
    try {
      const Tensor found = grad({again}, {w}, {.retain_graph = true})[0];
      memory::fail_allocation(0);
      CHECK(same_bits(found, expected));
      break;
    } catch (const MemoryError&) {
      ++failures;
    }
  }
  CHECK(failures > 3);
}

TEST_CASE("again: derivatives of second order go through what was made again") {
  generator() = Generator{.seed = 3};
  const Tensor x = randn({3, 4}, f64).set_requires_grad(),
               w = randn({4, 4}, f64).set_requires_grad();
  const auto f = [](const Tensors& in) {
    return Tensors{
        sum(tanh(linear(layer_norm(gelu(linear(in[0], in[1])), Tensor(), Tensor()), in[1])))};
  };
  CHECK(gradcheck(f, {x, w}).ok);
  CHECK(gradgradcheck(f, {x, w}).ok);
}
