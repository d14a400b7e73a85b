// The attention map is saved after dropout: in training its rows do not sum to 1.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::dropped_map {

inline Showing show() {
  manual_seed(1);
  const Tensor q = randn({1, H, 5, 4}), k = randn({1, H, 5, 4}), v = randn({1, H, 5, 4});
  const nn::CaptureAttention capture;
  static_cast<void>(nn::attend(q, k, v, nn::Mask(), 0.1));
  const Tensor before = capture.maps()[0].weights, after = dropout(before, 0.1);
  const auto off = [](const Tensor& map) { return largest(sum(map.to(f64), {-1}) - 1); };
  return {
      {{"a row's sum differs from 1 by up to", off(after), std::round(off(before) * 1e5) / 1e5}},
      {},
      {}};
}

}  // namespace slope::museum::dropped_map
