#include <slope/nn/transformer/sequences.h>

#include <algorithm>
#include <numeric>

namespace slope::nn {

Tensor unpadded_lengths(const Tensor& ids, int64_t pad) {
  const auto [B, T] = ids.dims<2>();
  const Tensor rows = ids.contiguous(), lengths = Tensor::empty({B}, i64);
  const int64_t* id = rows.data<int64_t>();
  const auto out = lengths.write<int64_t>();
  int64_t* length = out;
  for (int64_t b = 0; b < B; ++b, id += T) {
    length[b] = std::find(id, id + T, pad) - id;
    if (std::any_of(id + length[b], id + T, [pad](int64_t i) { return i != pad; })) return {};
  }
  return lengths;
}

Tensor pack(const Tensor& ids, const Tensor& lengths) {
  const auto [B, T] = ids.dims<2>();
  SLOPE_CHECK_SHAPE(lengths.shape() == Dims{B},
                    "pack: {} rows need a length each, got lengths of shape {}", B,
                    lengths.shape());
  const int64_t N = packed_rows("pack", lengths);
  const Tensor counts = lengths.contiguous(), rows = ids.contiguous();
  const int64_t *count = counts.data<int64_t>(), *id = rows.data<int64_t>();
  for (int64_t b = 0; b < B; ++b)
    SLOPE_CHECK_SHAPE(count[b] <= T, "pack: row {} has {} ids, not {}", b, T, count[b]);
  const Tensor packed = Tensor::empty({1, N}, i64);
  const auto out = packed.write<int64_t>();
  int64_t* next = out;
  for (int64_t b = 0; b < B; ++b) next = std::copy_n(id + b * T, count[b], next);
  return packed;
}

Tensor packed_positions(const Tensor& lengths) {
  const Tensor positions = Tensor::empty({1, packed_rows("packed_positions", lengths)}, i64),
               counts = lengths.contiguous();
  const int64_t* count = counts.data<int64_t>();
  const auto out = positions.write<int64_t>();
  int64_t* next = out;
  for (int64_t b = 0; b < counts.numel(); ++b)
    for (int64_t t = 0; t < count[b]; ++t) *next++ = t;
  return positions;
}

Tensor positions(int64_t length, int64_t first) {
  const Tensor positions = Tensor::empty({length}, i64);
  const auto out = positions.write<int64_t>();
  int64_t* position = out;
  std::iota(position, position + length, first);
  return positions;
}

int64_t longest(const Tensor& positions) {
  const Tensor all = positions.contiguous();
  const int64_t *first = all.data<int64_t>(), *last = first + all.numel();
  return first == last ? 0 : *std::max_element(first, last) + 1;
}

}  // namespace slope::nn
