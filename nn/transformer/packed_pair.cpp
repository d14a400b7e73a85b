#include <slope/nn/module/capture.h>
#include <slope/nn/transformer/packed_pair.h>
#include <slope/nn/transformer/sequences.h>

namespace slope::nn {

SequencePair padded_pair(const Tensor& source, const Tensor& target, int64_t pad) {
  const Mask source_mask = Mask::padding(source, pad);
  return {.source = source,
          .target = target,
          .source_positions = positions(source.size(1)),
          .target_positions = positions(target.size(1)),
          .source_mask = source_mask,
          .target_mask = Mask::padding(target, pad) & Mask::causal(target.size(1)),
          .cross_mask = source_mask};
}

PackedPair::PackedPair(const Tensor& source, const Tensor& target, int64_t pad) {
  const int64_t T = target.size(1) - 1;
  const Tensor given = target.narrow(1, 0, T), following = target.narrow(1, 1, T);
  const Tensor s = unpadded_lengths(source, pad), t = unpadded_lengths(following, pad);  // (B)
  if (!s.defined() || !unpadded_lengths(target, pad).defined() || any_attention_is_captured()) {
    static_cast<SequencePair&>(*this) = padded_pair(source, given, pad);
    next = following;
    return;
  }
  static_cast<SequencePair&>(*this) = {.source = pack(source, s),
                                       .target = pack(given, t),
                                       .source_positions = packed_positions(s),
                                       .target_positions = packed_positions(t),
                                       .source_mask = Mask::sequences(s, s),
                                       .target_mask = Mask::causal_sequences(t),
                                       .cross_mask = Mask::sequences(t, s)};
  next = pack(following, t);
}

}  // namespace slope::nn
