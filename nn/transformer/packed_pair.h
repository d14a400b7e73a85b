// The sentences of an encoder-decoder's batch, padded or packed, with their positions and masks. A
// model has one forward for both forms:
//   Tensor features(const SequencePair& p) const {
//     return decoder(embed(p.target, p.target_positions),
//                    encoder(embed(p.source, p.source_positions), p.source_mask), p.target_mask,
//                    p.cross_mask);
//   }
// Padded sentences are the rows of a batch. Packed sentences follow each other in one row and do
// not attend to each other, so that nothing is computed for padding. Both forms give the same
// numbers except for rounding and dropout's draws.
#pragma once

#include <slope/nn/transformer/mask.h>

namespace slope::nn {

struct SequencePair {
  Tensor source, target;                      // ids, i64: (B, S) and (B, T), or (1, N) and (1, M)
  Tensor source_positions, target_positions;  // (S) and (T), or (1, N) and (1, M)
  Mask source_mask, target_mask, cross_mask;  // of source, of target, target to source
};
SequencePair padded_pair(const Tensor& source, const Tensor& target, int64_t pad);

// For the loss: the target's tokens and, for each, the next one.
struct PackedPair : SequencePair {
  Tensor next;  // of the shape of target
  // source (B, S), target (B, T + 1) i64, padded at the end. The batch keeps its padding if `pad`
  // also occurs within a sentence, and while attention is captured: its weights are (B, H, T, S).
  PackedPair(const Tensor& source, const Tensor& target, int64_t pad);
};

}  // namespace slope::nn
