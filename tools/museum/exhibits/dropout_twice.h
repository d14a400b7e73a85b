// Dropout is applied inside the positional encoding and again to its result: a share (1 - p)^2 of
// the elements is kept instead of 1 - p.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::dropout_twice {

inline Showing show() {
  const nn::PositionalEncoding encoding(places, C, 0.1);
  const nn::Dropout again(0.1);
  const auto kept = [](const Tensor& y) {
    return sum((y != 0.0).to(f64)).item() / static_cast<double>(y.numel());
  };
  manual_seed(1);
  const Tensor x = randn({500, places, C}), y = encoding(x, nn::positions(places));
  return {{{"share kept where the setting is 0.1", kept(again(y)), kept(y)}}, {}, {}};
}

}  // namespace slope::museum::dropout_twice
