// The gradients of the mean losses of k micro-batches are added without division by k. The
// optimizer steps when i % k == 0, so that the first step, at i = 0, has a single micro-batch.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::unscaled_steps {

inline Tensor part_loss(const nn::Linear& model, int64_t i, int64_t parts) {
  const Tensor x = linspace(-1, 1, 12, f64).reshape({4, 3}), y = linspace(0, 1, 4, f64);
  const int64_t n = 4 / parts;
  const Tensor error = model(x.narrow(0, i * n, n)).squeeze(-1) - y.narrow(0, i * n, n);
  return mean(error * error);
}

inline Showing show() {
  manual_seed(1);
  const nn::Linear model(3, 1);
  nn::to(model, f64);
  const auto undivided = [&](int64_t parts) {
    for (int64_t i = 0; i < parts; ++i) part_loss(model, i, parts).backward();
  };
  const auto divided = [&](int64_t parts) {
    for (int64_t i = 0; i < parts; ++i)
      (part_loss(model, i, parts) / static_cast<double>(parts)).backward();
  };
  // The step comes at the first i that is divisible by parts: at i = 0, after one micro-batch.
  const auto first_step = [&](int64_t parts) {
    for (int64_t i = 0; i < parts; ++i) {
      (part_loss(model, i, parts) / static_cast<double>(parts)).backward();
      if (i % parts == 0) return;
    }
  };
  const auto relative_gradient = [&](const auto& step) {
    nn::zero_grad(model);
    step(4);
    const double in_parts = norm(model.weight.grad()).item();
    nn::zero_grad(model);
    step(1);
    return in_parts / norm(model.weight.grad()).item();
  };
  const auto detect = [&](const auto& step) { return nn::lint::accumulation(model, step, 4); };
  return {{{"4 micro-batches: gradient / that of the batch", relative_gradient(undivided),
            relative_gradient(divided)},
           {"at the first step", relative_gradient(first_step), relative_gradient(divided)}},
          joined(detect(undivided), detect(first_step)),
          detect(divided)};
}

}  // namespace slope::museum::unscaled_steps
