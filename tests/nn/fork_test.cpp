// A child that is forked while other threads work takes the locks that they take.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/module_path.h>
#include <slope/nn/nn.h>
#include <slope/tests/sanitized.h>

#if defined(__linux__) && !defined(SLOPE_SANITIZED) && !defined(SLOPE_PLAIN)
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

using namespace slope;

namespace {

struct SharesLinear {
  const nn::Linear& shared;
  Tensor forward(const Tensor& x) const { return shared(x); }
  SLOPE_MODULE(SharesLinear, shared)
};

// Children that call `in_child` while a thread calls `in_thread` again and again, and that wait for
// ever or fail.
int stuck_children(const std::function<void()>& in_thread, const std::function<void()>& in_child) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) in_thread();
  });
  int stuck = 0;
  for (int round = 0; round < 200 && stuck == 0; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);  // ends one that waits for ever
      in_child();
      _exit(0);
    }
    int status = 0;
    stuck += waitpid(child, &status, 0) != child || status != 0;
  }
  done = true;
  other.join();
  return stuck;
}

}  // namespace

TEST_CASE("fork: a child reads a gradient that another thread adds to") {
  const Tensor w = ones({20'000}).set_requires_grad();
  const Tensor loss = sum(w * 2);
  CHECK(stuck_children([&] { loss.backward({}, true); }, [&] { (void)w.grad(); }) == 0);
}

TEST_CASE("fork: a child of a child, too") {
  const Tensor w = ones({20'000}).set_requires_grad();
  const Tensor loss = sum(w * 2);
  const auto fork_again = [&] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) _exit(1);
  };
  CHECK(stuck_children([&] { loss.backward({}, true); }, fork_again) == 0);
}

TEST_CASE("fork: a child adds a hook to a module that gets others meanwhile") {
  const nn::Linear linear(2, 2);
  const auto hook = [&] {
    nn::register_forward_hook(linear, [](const Tensors&, const Tensor&) {
      return Tensor();
    }).remove();
  };
  CHECK(stuck_children(hook, hook) == 0);
}

TEST_CASE("fork: a child calls a module that another thread calls under two names") {
  const nn::Linear linear(2, 2);
  const SharesLinear a{linear}, b{linear};
  const Tensor x = ones({1, 2});
  const auto call_both = [&] {
    const NoGrad no_grad;
    (void)a(x);
    (void)b(x);
  };
  CHECK(stuck_children(call_both, call_both) == 0);
}

TEST_CASE("fork: a child interns a path, and rounds a weight that another thread rounds") {
  const auto intern = [] { (void)intern_path("encoder.layers.0"); };
  CHECK(stuck_children(intern, intern) == 0);
  const Tensor weight = ones({10'000});
  const auto round = [&] {
    weight.storage()->bump_version();
    (void)bf16_twin(weight.storage());
  };
  CHECK(stuck_children(round, [&] { (void)bf16_twin(weight.storage()); }) == 0);
}
#endif
