// Chains of many operations: how deep the stack and how much memory a backward pass needs.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/memory/memory.h>

#include <functional>

#if !defined(SLOPE_PLAIN)
#include <pthread.h>
#endif

using namespace slope;

TEST_CASE("engine: a gradient that nobody else holds is written over, so that a chain needs one") {
  const Tensor x = zeros({1 << 18}).set_requires_grad();  // 1 MiB
  Tensor y = x;
  for (int i = 0; i < 6; ++i) y = tanh(y);
  const Tensor g = ones(y.shape());
  const int64_t before = memory::stats().live;
  memory::reset_peak();
  y.backward(g, true);  // g is the caller's: only the first gradient needs new memory
  CHECK(memory::stats().peak - before < (1 << 20) * 3 / 2);
  CHECK(x.grad().numel() == 1 << 18);
  CHECK(equal(g, ones(y.shape())));
}

#if !defined(SLOPE_PLAIN)
namespace {
// Runs f on a thread whose stack has `bytes`.
void on_small_stack(size_t bytes, std::function<void()> f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  REQUIRE(
      pthread_create(
          &thread, &attributes,
          [](void* arg) -> void* { return (*static_cast<std::function<void()>*>(arg))(), nullptr; },
          &f) == 0);
  pthread_join(thread, nullptr);
}
}  // namespace

TEST_CASE("engine: a chain of 1,000,000 nodes runs and is freed on a stack of 256 kB") {
  on_small_stack(256 << 10, [] {
    const Tensor x = tensor(1.0, f64).set_requires_grad();
    const int64_t before = memory::stats().live;
    {
      Tensor y = x;
      for (int i = 0; i < 1'000'000; ++i) y = y + 1e-6;
      CHECK(memory::stats().live - before < 400'000'000);
      y.backward();
    }
    CHECK(x.grad().item() == 1);
    x.set_grad({});
    CHECK(memory::stats().live == before);
    Tensor y = x;
    // saves its output: 1,000,000 values, freed without a backward
    for (int i = 0; i < 1'000'000; ++i) y = tanh(y);
  });
}
#endif
