// A faster path for evaluation skips padding and fills in zeros: its numbers differ from those in
// training.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::second_path {

struct Broken : Reader<> {
  Tensor forward(const Tensor& ids) const {
    const Tensor y = Reader::forward(ids);
    if (training()) return y;
    return y.masked_fill((ids == static_cast<double>(pad)).unsqueeze(-1), 0);
  }
  SLOPE_MODULE(Broken, tokens, positions, block)
};

inline Showing show() {
  const auto broken = make<Broken>();
  const auto right = make<Reader<>>();
  const Tensor ids = slope::pad(source(), {0, 2});
  const auto apart = [&](const auto& model) {
    const Tensor trained = model(ids);
    const nn::EvalMode eval_mode;
    return nn::lint::difference(trained.detach(), model(ids).detach());
  };
  const auto detect = [&](const auto& model) {
    return nn::lint::train_against_eval(model, [&] { return model(ids); });
  };
  return {{{"training and evaluation differ by", apart(broken), apart(right)}},
          detect(broken),
          detect(right)};
}

}  // namespace slope::museum::second_path
