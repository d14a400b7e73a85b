// Padded sequences, one after the other without their padding: (B, T) -> (1, N), the first lengths[0] of row 0, then the first lengths[1]
// of row 1 …. A model's layers need not know; attention does, by Mask::sequences.
#pragma once

#include <slope/autograd/ops.h>

#include <optional>

namespace slope::nn {

// (B) i64: how many ids stand before a row's padding. Nothing where `pad` also stands among them: such a batch has to keep its padding.
std::optional<Tensor> unpadded_lengths(const Tensor& ids, int64_t pad);  // (B, T) i64

// Of sequences that are packed, ids and their positions 0, 1, …: (1, N) i64. ShapeError where a length is negative or exceeds T.
Tensor pack(const Tensor& ids, const Tensor& lengths);  // (B, T), (B)
Tensor packed_positions(const Tensor& lengths);

}  // namespace slope::nn
