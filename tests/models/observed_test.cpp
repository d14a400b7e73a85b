// A training step of each small model has the same bits, observed or not.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/observer.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/tests/models/zoo.h>

#include <optional>

using namespace slope;
using namespace slope::test;

namespace {

// Weights after two steps in f32, with dropout.
template <class Model, class Loss>
Tensors trained(const Model& model, const Loss& loss, Observer* observer) {
  generator() = Generator{.seed = 5};
  optim::AdamW adam(nn::named_parameters(model), {.lr = 0.01});
  for (int step = 0; step < 2; ++step) {
    adam.zero_grad();
    std::optional<Observe> observe;
    if (observer) observe.emplace(*observer);
    loss(model).backward();
    observe.reset();
    adam.step();
  }
  Tensors weights;
  for (const auto& [name, x] : nn::state_dict(model).tensors)
    weights.push_back(contiguous_copy(x.detach()));
  return weights;
}

template <class Make, class Loss>
void check_same_bits(const Make& make, const Loss& loss) {
  struct Counter : Observer {
    int64_t contributions = 0;
    void contributed(const Node&, size_t, const Tensor&) override { ++contributions; }
  } counter;
  CHECK(same_bits(trained(make(), loss, nullptr), trained(make(), loss, &counter)));
  CHECK(counter.contributions > 10);
}

}  // namespace

TEST_CASE("observed: a training step of each small model has the same bits") {
  const Tensor source = sentences({5, 3, 7}, 7, 31), target = sentences({4, 6, 2}, 6, 37);
  for (const bool tied : {false, true})
    check_same_bits([&] { return small_postnorm(0.1, f32, 1, tied); },
                    [&](const auto& model) { return model.loss(source, target); });
  const data::TwoMoons moons = data::two_moons(32);
  check_same_bits(
      [] {
        manual_seed(3);
        return mlp::TwoMoonsMlp({});
      },
      [&](const auto& model) { return bce_with_logits(model(moons.points), moons.labels); });
  const Tensor ids = sentences({12, 12}, 12, 29);
  check_same_bits([&] { return small_char_gpt(0.1, f32); },
                  [&](const auto& model) { return model.loss(ids, ids); });
}
