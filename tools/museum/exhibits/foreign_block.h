// A block calls an object of an earlier notebook cell instead of its own: the optimizer has the
// block's parameters, which nothing uses, but not that object's.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::foreign_block {

inline const nn::FeedForward& of_an_earlier_cell() {
  static const nn::FeedForward global = [] {
    nn::FeedForward ff(C, 2 * C);
    nn::to(ff, f64);
    return ff;
  }();
  return global;
}

struct Broken : Block<> {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor y = norm1(x + attention(x, memory, mask));
    return norm2(y + of_an_earlier_cell()(y));
  }
  SLOPE_MODULE(Broken, attention, norm1, ff, norm2)
};

inline Showing show() {
  const auto broken = make<TextModel<Broken>>();
  const auto right = make<TextModel<>>();
  const auto gradient_of_block = [](const auto& model) {
    const Tensor weight = gradient(loss(model(target())), model.block.ff.linear1.weight);
    return weight.defined() ? largest(weight) : 0;
  };
  const auto detect = [](const auto& model) {
    const Tensor l = loss(model(target()));
    return joined(nn::lint::foreign_parameters(model, l), nn::lint::unused_parameters(model, l));
  };
  return {{{"largest gradient of the block's first matrix", gradient_of_block(broken),
            gradient_of_block(right)}},
          detect(broken),
          detect(right)};
}

}  // namespace slope::museum::foreign_block
