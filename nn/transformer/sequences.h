// Packs padded sequences one after the other without their padding: (B, T) -> (1, N), the first
// lengths[0] ids of row 0, then the first lengths[1] ids of row 1, …. Only attention has to know
// the lengths, through Mask::sequences. The lengths are i64 (B); ShapeError if one is negative.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

// The number of ids before each row's padding. Undefined if `pad` also occurs among the ids: such
// a batch has to keep its padding.
Tensor unpadded_lengths(const Tensor& ids, int64_t pad);  // (B, T) i64 -> (B)

// The ids of packed sequences, and their positions 0, 1, …: (1, N) i64. ShapeError if a row has
// fewer ids than its length.
Tensor pack(const Tensor& ids, const Tensor& lengths);  // (B, T), (B)
Tensor packed_positions(const Tensor& lengths);

// first, first + 1, …: (length) i64, which broadcasts to padded ids (B, length).
Tensor positions(int64_t length, int64_t first = 0);
// The length of the longest sequence with these positions: their maximum + 1, or 0.
int64_t longest(const Tensor& positions);

}  // namespace slope::nn
