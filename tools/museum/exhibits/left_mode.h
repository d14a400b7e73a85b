// translate() switches the model to evaluation and does not switch it back: dropout stays off for
// the rest of the training.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::left_mode {

struct Model {
  nn::Dropout dropout;
  Model() : dropout(0.5) {}
  Tensor forward(const Tensor& x) const { return dropout(x); }
  SLOPE_MODULE(Model, dropout)
};

inline void broken_translate(const Model& model) {
  nn::eval(model);
  static_cast<void>(model(ones({4})));
}
inline void right_translate(const Model& model) {
  const nn::EvalMode eval_mode;  // until the end of the scope
  static_cast<void>(model(ones({4})));
}

inline Showing show() {
  const auto share_dropped_after = [](const auto& translate) {
    const Model model;
    translate(model);
    manual_seed(1);
    return sum((model(ones({1000})) == 0.0).to(f64)).item() / 1000;
  };
  const auto detect = [](const auto& translate) {
    const Model model;
    return nn::lint::modes_left(model, [&] { translate(model); });
  };
  return {{{"share dropped in training after a translation", share_dropped_after(broken_translate),
            share_dropped_after(right_translate)}},
          detect(broken_translate),
          detect(right_translate)};
}

}  // namespace slope::museum::left_mode
