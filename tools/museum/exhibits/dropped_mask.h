// masked_fill returns a new tensor, which is discarded: the mask has no effect.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::dropped_mask {

struct Broken : Attention {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor q = nn::split_heads(query(x), H), k = nn::split_heads(key(memory), H),
                 v = nn::split_heads(value(memory), H);
    const Tensor scores = q.matmul(k.transpose(-2, -1)) / std::sqrt(1.0 * C / H);
    // The cast lets this compile: otherwise a discarded result is an error.
    static_cast<void>(scores.masked_fill(!mask.tensor(x.size(1), memory.size(1)), -1e9));
    return out(nn::merge_heads(softmax(scores).matmul(v)));
  }
  SLOPE_MODULE(Broken, query, key, value, out)
};

inline Showing show() {
  const auto broken = on_text(make<TextModel<Block<Broken>>>()),
             right = on_text(make<TextModel<>>());
  return {{{"another token 4 moves output 0 by", moved(broken, 0, 4), moved(right, 0, 4)}},
          nn::lint::leaks(broken),
          nn::lint::leaks(right)};
}

}  // namespace slope::museum::dropped_mask
