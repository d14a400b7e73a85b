// The target attends to itself under the source's mask, and to the source under the target's.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::swapped_masks {

struct Broken : DecoderBlock<> {
  Tensor forward(Tensor x, const Tensor& memory, const nn::Mask& self_mask,
                 const nn::Mask& cross_mask) const {
    x = norm(x + self(x, x, cross_mask));
    return cross(x, memory, self_mask);
  }
  SLOPE_MODULE(Broken, self, norm, cross)
};

inline Showing show() {
  const auto broken = on_target(make<Translator<Broken>>()),
             right = on_target(make<Translator<>>());
  return {{{"another target token 4 moves output 0 by", moved(broken, 0, 4), moved(right, 0, 4)}},
          nn::lint::leaks(broken),
          nn::lint::leaks(right)};
}

}  // namespace slope::museum::swapped_masks
