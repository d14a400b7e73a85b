// Times one training step of three small models: name, the loss after 400 steps to all its digits,
// and microseconds, the median of batches of 20 steps.
//
//   steps [SECONDS]      how long each model is timed, after a warm-up of the same length
#include <slope/autograd/backward.h>
#include <slope/models/char_gpt.h>
#include <slope/models/data/two_moons.h>
#include <slope/models/microgpt.h>
#include <slope/optim/elementwise/adam.h>
#include <slope/optim/elementwise/sgd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace slope;

namespace {

struct Mlp {
  nn::Linear in{2, 16}, hidden{16, 16}, out{16, 1};
  Tensor forward(const Tensor& x) const { return out(tanh(hidden(tanh(in(x))))); }
  SLOPE_MODULE(Mlp, in, hidden, out)
};

template <class Step>
void measure(const char* name, double seconds, const Step& step) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  double loss = 0;
  const auto batch = [&] {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < 20; ++i) loss = step();
    return since(begin) / 20;
  };
  for (int i = 0; i < 20; ++i) batch();  // as many everywhere: the same loss
  std::printf("%s %.9g", name, loss);
  for (const Clock::time_point begin = Clock::now(); since(begin) < seconds;) batch();
  std::vector<double> times{batch()};
  for (const Clock::time_point begin = Clock::now(); since(begin) < seconds;)
    times.push_back(batch());
  std::ranges::sort(times);
  std::printf(" %.2f\n", 1e6 * times[times.size() / 2]);
}

template <class Optimizer, class Loss>
double train_step(Optimizer& optimizer, const Loss& loss_of) {
  const Tensor loss = loss_of();
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return loss.item();
}

void two_moons(double seconds) {
  manual_seed(1);
  Mlp net;
  optim::SGD sgd(nn::named_parameters(net), {.lr = 0.1});
  const data::TwoMoons moons = data::two_moons(200);
  measure("two-moons", seconds, [&] {
    return train_step(sgd, [&] { return bce_with_logits(net(moons.points), moons.labels); });
  });
}

Tensor some_tokens(int64_t vocabulary, const Dims& shape) {
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < numel(shape); ++i) tokens.push_back((i * i + 3 * i) % vocabulary);
  return from_vector(tokens, shape);
}

void char_gpt_2_32(double seconds) {
  manual_seed(1);
  char_gpt::CharGpt model(
      {.vocab_size = 65, .block_size = 16, .n_layer = 2, .n_head = 4, .n_embd = 32});
  model.init_weights();
  optim::Adam adam(nn::named_parameters(model), {.lr = 1e-3});
  const Tensor tokens = some_tokens(65, {8, 17});
  const Tensor inputs = tokens.narrow(1, 0, 16), targets = tokens.narrow(1, 1, 16);
  measure("char-gpt-2x32", seconds,
          [&] { return train_step(adam, [&] { return model.loss(inputs, targets) / 128; }); });
}

void microgpt_name(double seconds) {
  manual_seed(1);
  microgpt::MicroGpt model({.vocab_size = 27});
  model.init_weights();
  optim::Adam adam(nn::named_parameters(model), {.lr = 1e-3, .betas = {0.85, 0.99}});
  const Tensor name = from_vector(std::vector<int64_t>{0, 9, 19, 1, 2, 5, 12, 12, 1, 0}, {10});
  const Tensor seen = name.narrow(0, 0, 9).reshape({1, 9}), next = name.narrow(0, 1, 9);
  measure("microgpt", seconds, [&] {
    return train_step(adam, [&] { return cross_entropy(model(seen).select(0, 0), next); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  two_moons(seconds);
  char_gpt_2_32(seconds);
  microgpt_name(seconds);
}
