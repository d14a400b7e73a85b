// A dropout layer made without its rate drops half of all values, whatever the setting.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::dropout_default {

struct Right {
  nn::LayerNorm norm;
  nn::Dropout dropout;
  explicit Right(double p) : norm(C), dropout(p) {}
  Tensor forward(const Tensor& x) const { return dropout(norm(x)); }
  SLOPE_MODULE(Right, norm, dropout)
};
struct Broken : Right {
  explicit Broken(double p) : Right(p) { dropout = nn::Dropout(); }
};

inline Showing show() {
  const auto share_of_zeros = [](const auto& module) {
    manual_seed(1);
    const Tensor y = module(randn({2500, C}));
    return sum((y == 0.0).to(f64)).item() / static_cast<double>(y.numel());
  };
  const auto detect = [](const auto& module) {
    manual_seed(1);
    const Tensor x = randn({4, C});
    return nn::lint::train_against_eval(module, [&] { return module(x); });
  };
  return {{{"share dropped where the setting is 0.1", share_of_zeros(Broken(0.1)),
            share_of_zeros(Right(0.1))}},
          detect(Broken(0)),
          detect(Right(0))};
}

}  // namespace slope::museum::dropout_default
