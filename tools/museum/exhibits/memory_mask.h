// The source's mask is passed to the encoder alone: the decoder attends to the source's padding.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::memory_mask {

struct Broken : DecoderBlock<> {
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& /*cross_mask*/) const {
    x = norm(x + self(x, x, self_mask));
    return cross(x, memory, nn::Mask());
  }
  SLOPE_MODULE(Broken, self, norm, cross)
};

inline Showing show() {
  const auto broken = make<Translator<Broken>>();
  const auto right = make<Translator<>>();
  const auto effect_of_padding = [](const auto& model) {
    return nn::lint::difference(model(slope::pad(source(), {0, 2}), target()).detach(),
                                model(source(), target()).detach());
  };
  const auto detect = [](const auto& model) {
    return nn::lint::padding_influence([&](const Tensor& x) { return model(x, target()); },
                                       source(), pad);
  };
  return {{{"two columns of padding move the outputs by", effect_of_padding(broken),
            effect_of_padding(right)}},
          detect(broken),
          detect(right)};
}

}  // namespace slope::museum::memory_mask
