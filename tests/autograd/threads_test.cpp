// What threads may do at the same time with shared tensors. Each round is the smallest that failed
// without the locks.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/memory/memory.h>
#include <slope/core/tensor/factories.h>
#include <slope/tests/at_once.h>
#include <slope/tests/leaf.h>
#include <slope/tests/sanitized.h>
#include <slope/tests/threads.h>

#include <atomic>
#include <optional>

using namespace slope;
using slope::test::leaf;

#if !defined(SLOPE_PLAIN)
#include <thread>
#include <vector>

namespace {
thread_local Tensor kept;
}  // namespace

TEST_CASE("threads: a tensor with a retained gradient may end while backward runs") {
  const Tensor w = leaf({0.5, 2.});
  for (int round = 0; round < test::fewer(3000); ++round) {
    std::optional<Tensor> h = tanh(w * w);
    h->retain_grad();
    const Tensor y = sum(*h * *h);
    test::at_once([&] { h.reset(); }, [&] { y.backward(); });
  }
  CHECK(w.grad().defined());
}

TEST_CASE("threads: a retained gradient is read while backward writes it") {
  const Tensor w = leaf({0.5, 2.}), h = tanh(w * w);
  h.retain_grad();
  const Tensor y = sum(h * 3);
  for (int round = 1; round < test::fewer(1000); ++round) {
    Tensor seen;
    test::at_once([&] { seen = h.grad(); }, [&] { y.backward({}, true); });
    if (seen.defined()) CHECK(seen.to_vector()[0] == seen.to_vector()[1]);
    CHECK(h.grad().to_vector()[0] == 3 * round);
  }
}

TEST_CASE("threads: results of one operation take hooks at once, and lose none") {
  const Tensor x = leaf({1., 2.});
  for (int round = 0; round < test::fewer(2000); ++round) {
    const Tensors parts = unbind(x);
    std::atomic<int> calls{0};
    const auto hook = [&](size_t i) {
      parts[i].register_hook([&](const Tensor&) { return ++calls, Tensor(); });
      parts[i].retain_grad();
    };
    test::at_once([&] { hook(0); }, [&] { hook(1); });
    (parts[0] * 2 + parts[1] * 3).backward();
    REQUIRE(calls == 2);
    REQUIRE(parts[0].grad().item() == 2);
    REQUIRE(parts[1].grad().item() == 3);
  }
}

TEST_CASE("threads: two backward passes into shared leaves lose no gradient") {
  const Tensor v = leaf({1., 2., 3.}), w = leaf({4., 5., 6.});
  constexpr int rounds = 3000;
  test::at_once(
      [&] {
        for (int i = 0; i < rounds; ++i) sum(v * w).backward();
      },
      [&] {
        for (int i = 0; i < rounds; ++i) sum(w * v).backward();  // reaches them in another order
      });
  CHECK(equal(v.grad(), w.detach() * (2 * rounds)));
  CHECK(equal(w.grad(), v.detach() * (2 * rounds)));
}

TEST_CASE(
    "threads: four at once, whose loops have threads of their own, get the bits of one alone") {
  const Tensor x = randn({300, 64}), w = randn({64, 256});
  const auto gradients = [&] {
    set_num_threads(2);
    const Tensor a = x.clone().set_requires_grad(), b = w.clone().set_requires_grad();
    const Tensor loss = sum(softmax(tanh(matmul(a, b)), -1) * matmul(a, b));
    const Tensors first = grad({loss}, {a, b}, {.create_graph = true});
    sum(first[0] * first[1].sum()).backward();
    return Tensors{a.grad(), b.grad()};
  };
  const KeepThreads restore;
  const Tensors expected = gradients();
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const Tensors got = gradients();
        different += !equal(got[0], expected[0]) || !equal(got[1], expected[1]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}

TEST_CASE("threads: a thread's own tensors give their memory back when it ends") {
  const auto run = [](int threads) {
    for (int i = 0; i < threads; ++i)
      std::thread([] {
        (void)kept.defined();  // made before the thread's pool, and destroyed after it
        kept = zeros({8});
      }).join();
  };
  run(100);
  const int64_t before = memory::stats().reserved, live = memory::stats().live;
  run(2000);
  CHECK(memory::stats().reserved - before <= 64 << 10);
  CHECK(memory::stats().live == live);
}

#endif
