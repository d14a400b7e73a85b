// A look-ahead mask is true where attention is forbidden, but is read as if true meant allowed.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::inverted_mask {

struct Broken : Block<> {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const int64_t T = x.size(1);
    return Block::forward(x, memory, nn::Mask::allow(!mask.tensor(T, T)));
  }
  SLOPE_MODULE(Broken, attention, norm1, ff, norm2)
};

inline Showing show() {
  const auto broken = on_text(make<TextModel<Broken>>()), right = on_text(make<TextModel<>>());
  return {{{"another token 4 moves output 0 by", moved(broken, 0, 4), moved(right, 0, 4)},
           {"another token 0 moves output 4 by", moved(broken, 4, 0), moved(right, 4, 0)}},
          nn::lint::leaks(broken),
          nn::lint::leaks(right)};
}

}  // namespace slope::museum::inverted_mask
