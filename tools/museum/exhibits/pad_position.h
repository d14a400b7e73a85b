// All padding gets the last position, whose embedding the longest sentences need. As in the
// published model, the mistake of memory-mask is made too, so that padding trains this embedding.
#pragma once

#include <slope/tools/museum/exhibits/memory_mask.h>

namespace slope::museum::pad_position {

struct Broken : Translator<memory_mask::Broken> {
  Tensor forward(const Tensor& source, const Tensor& target) const {
    const int64_t S = source.size(1), T = target.size(1);
    const Tensor last = full({S}, places - 1, i64),
                 at = where(source == static_cast<double>(pad), last, nn::positions(S));
    const nn::Mask source_mask = nn::Mask::padding(source, pad);
    const Tensor y = reader.tokens(source) + reader.positions(at);
    const Tensor memory = reader.block(y, y, source_mask);
    const Tensor x = tokens(target) + positions(nn::positions(T));
    return head(decoder(x, memory, nn::Mask::causal(T), source_mask));
  }
  SLOPE_MODULE(Broken, reader, tokens, positions, decoder, head)
};

inline Showing show() {
  const auto broken = make<Broken>();
  const auto right = make<Translator<>>();
  // The last of 8 positions is unused: the sentences have 5 tokens, then 2 of padding.
  const auto gradient_of_last_position = [](const auto& model) {
    const Tensor padded = slope::pad(source(), {0, 2});
    return largest(
        gradient(loss(model(padded, target())), model.reader.positions.weight)[places - 1]);
  };
  return {{{"largest gradient of position 7, where no token stands",
            gradient_of_last_position(broken), gradient_of_last_position(right)}},
          {},
          {}};
}

}  // namespace slope::museum::pad_position
