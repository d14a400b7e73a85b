// The merged heads are reshaped to the keys' length: right only if both sentences are equally long.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::key_length {

struct Broken : Attention {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor q = nn::split_heads(query(x), H), k = nn::split_heads(key(memory), H),
                 v = nn::split_heads(value(memory), H);
    const Tensor heads = nn::attend(q, k, v, mask).transpose(1, 2);  // (B, T, H, D)
    return out(heads.reshape({memory.size(0), memory.size(1), C}));
  }
  SLOPE_MODULE(Broken, query, key, value, out)
};

inline Showing show() {
  const auto broken = make<Translator<DecoderBlock<Block<Broken>>>>();
  const auto right = make<Translator<>>();
  const auto lengths = [](const auto& model) {
    return nn::lint::refused_lengths([&](const Tensor& x) { return model(x, target()); }, source());
  };
  const auto refused = [](const auto& model) {
    int64_t n = 0;
    for (int64_t S = 1; S <= 5; ++S) try {
        static_cast<void>(model(source().narrow(1, 0, S), target()));
      } catch (const ShapeError&) {
        ++n;
      }
    return static_cast<double>(n);
  };
  return {{{"source lengths that throw, of 5", refused(broken), refused(right)}},
          lengths(broken),
          lengths(right)};
}

}  // namespace slope::museum::key_length
