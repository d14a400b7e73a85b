// Hooks of a tensor or a module that threads share: registered, removed and run at the same time.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/nn/nn.h>
#include <slope/tests/at_once.h>
#include <slope/tests/sanitized.h>

#if !defined(SLOPE_PLAIN)
#include <atomic>

using namespace slope;

TEST_CASE("shared hooks: two threads register, and none is lost") {
  for (int round = 0; round < 5; ++round) {
    const Tensor w = ones({3}).set_requires_grad();
    std::atomic<int> calls{0};
    const auto add = [&] {
      for (int i = 0; i < test::fewer(10'000); ++i)
        w.register_hook([&](const Tensor&) { return ++calls, Tensor(); });
    };
    test::at_once(add, add);
    sum(w * 2).backward();
    CHECK(calls == 2 * test::fewer(10'000));
  }
}

TEST_CASE("shared hooks: one thread registers while another runs them") {
  for (int round = 0; round < test::fewer(200); ++round) {
    const Tensor w = ones({3}).set_requires_grad(), h = w * 2, y = sum(h);
    std::atomic<int> calls{0};
    test::at_once(
        [&] {
          for (int i = 0; i < 300; ++i)
            (i % 2 ? w : h).register_hook([&calls, one = std::make_shared<int>(1)](const Tensor&) {
              return calls += *one, Tensor();
            });
        },
        [&] {
          for (int i = 0; i < 30; ++i) y.backward({}, true);
        });
    calls = 0;
    y.backward();
    CHECK(calls == 300);
  }
}

TEST_CASE("shared hooks: a result's first hook and its retain_grad, in two threads") {
  int lost = 0;
  for (int round = 0; round < test::fewer(10'000); ++round) {
    const Tensor w = ones({3}).set_requires_grad(), h = w * 2;
    std::atomic<int> calls{0};
    test::at_once([&] { h.retain_grad(); },
                  [&] { h.register_hook([&](const Tensor&) { return ++calls, Tensor(); }); });
    sum(h).backward();
    lost += !h.grad().defined() || calls != 1;
  }
  CHECK(lost == 0);
}

TEST_CASE("shared hooks: a module's come and go while another thread calls it") {
  for (int round = 0; round < test::fewer(200); ++round) {
    const nn::Linear linear(3, 3);
    std::atomic<int> calls{0};
    test::at_once(
        [&] {
          std::vector<nn::HookHandle> handles;
          for (int i = 0; i < 100; ++i)
            handles.push_back(nn::register_forward_hook(
                linear, [&calls, one = std::make_shared<int>(1)](const Tensors&, const Tensor&) {
                  return calls += *one, Tensor();
                }));
          for (int i = 1; i < 100; ++i) handles[static_cast<size_t>(i)].remove();
        },
        [&] {
          for (int i = 0; i < 100; ++i) (void)linear(ones({1, 3}));
        });
    calls = 0;
    (void)linear(ones({1, 3}));
    CHECK(calls == 1);
  }
}
#endif
