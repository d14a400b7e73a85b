// The residual sum adds the keys, not the queries. It was published together with the mistake of
// einsum-index: with both, the target has no effect.
#pragma once

#include <slope/tools/museum/exhibits/einsum_index.h>

namespace slope::museum::key_residual {

struct Broken : Block<einsum_index::Broken> {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor y = norm1(memory + attention(x, memory, mask));
    return norm2(y + ff(y));
  }
  SLOPE_MODULE(Broken, attention, norm1, ff, norm2)
};

inline Showing show() {
  const auto broken = on_target(make<Translator<DecoderBlock<Broken>>>()),
             right = on_target(make<Translator<>>());
  return {{{"another target token 0 moves output 4 by", moved(broken, 4, 0), moved(right, 4, 0)}},
          nn::lint::ignored_inputs(broken),
          nn::lint::ignored_inputs(right)};
}

}  // namespace slope::museum::key_residual
