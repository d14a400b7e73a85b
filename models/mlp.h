// MLP: two tanh layers and a logit that tells on which of the two moons (models/data/two_moons.h) a
// point lies. Read this model first. A complete training loop:
//
//   mlp::TwoMoonsMlp model({});
//   for (int step = 0; step < 500; ++step) {
//     Tensor loss = bce_with_logits(model(points), labels);   // forward: builds the tape
//     nn::zero_grad(model);
//     loss.backward();                                        // backward: walks it
//     sgd.step();
//   }
#pragma once

#include <slope/models/config.h>
#include <slope/nn/nn.h>

namespace slope::mlp {

struct Config {
  int64_t in = 2, hidden = 16, out = 1;
  SLOPE_CONFIG(key(hidden, "width of the two inner layers", 1, 1 << 16))
};

struct TwoMoonsMlp {
  Config config;
  nn::Linear fc1, fc2, fc3;
  explicit TwoMoonsMlp(const Config& c)
      : config(c), fc1(c.in, c.hidden), fc2(c.hidden, c.hidden), fc3(c.hidden, c.out) {}
  Tensor forward(const Tensor& x) const {  // (N, 2)
    const Tensor h1 = tanh(fc1(x));        // (N, hidden)
    const Tensor h2 = tanh(fc2(h1));       // (N, hidden)
    return fc3(h2);                        // (N, 1): a logit
  }
  SLOPE_MODULE(TwoMoonsMlp, fc1, fc2, fc3)
};

}  // namespace slope::mlp
