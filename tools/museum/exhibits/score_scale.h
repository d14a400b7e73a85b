// Scores are divided by the square root of the number of channels in all heads instead of in one:
// with H heads they are sqrt(H) times too small.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::score_scale {

inline Showing show() {
  constexpr int64_t channels = 64, heads = 8, D = channels / heads;
  manual_seed(1);
  const Tensor q = randn({heads, 40, D}, f64), k = randn({heads, 40, D}, f64);
  const Tensor scores = bmm(q, k.transpose(1, 2));
  const auto spread = [&](int64_t width) {
    return slope::std(scores / std::sqrt(static_cast<double>(width))).item();
  };
  const auto peak = [&](int64_t width) {
    return mean(amax(softmax(scores / std::sqrt(static_cast<double>(width))), {-1})).item();
  };
  return {{{"standard deviation of the scores of 8 heads", spread(channels), spread(D)},
           {"largest of 40 weights, mean", peak(channels), peak(D)}},
          {},
          {}};
}

}  // namespace slope::museum::score_scale
