// translate() calls eval() and never train() again: from then on nothing is dropped.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::left_mode {

struct Model {
  nn::Dropout dropout;
  Model() : dropout(0.5) {}
  Tensor forward(const Tensor& x) const { return dropout(x); }
  SLOPE_MODULE(Model, dropout)
};

inline void translate_and_leave(const Model& model) {
  nn::eval(model);
  static_cast<void>(model(ones({4})));
}
inline void translate(const Model& model) {
  const nn::EvalMode eval_mode;
  static_cast<void>(model(ones({4})));
}

inline Showing show() {
  const auto zeros_after = [](const auto& f) {  // in 1,000 values of the next training step
    const Model model;
    f(model);
    manual_seed(1);
    return sum((model(ones({1000})) == 0.0).to(f64)).item() / 1000;
  };
  const auto detect = [](const auto& f) {
    const Model model;
    return nn::lint::modes_left(model, [&] { f(model); });
  };
  return {{{"share dropped in training after a translation", zeros_after(translate_and_leave),
            zeros_after(translate)}},
          detect(translate_and_leave),
          detect(translate)};
}

}  // namespace slope::museum::left_mode
