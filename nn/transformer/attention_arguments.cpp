#include <slope/nn/transformer/attention_arguments.h>

namespace slope::nn {

AttentionLengths attention_lengths(const Tensor& query, const Tensor& key, int64_t heads,
                                   bool batch_first, const std::string& who) {
  const bool batched = query.rank() == 3;
  SLOPE_CHECK_SHAPE((batched || query.rank() == 2) && key.rank() == query.rank(),
                    "{}: query {} and key {} should both be batched (3-D) or unbatched (2-D)", who,
                    query.shape(), key.shape());
  const int64_t length = batched && batch_first ? 1 : 0;  // the dim of L and S
  return {.B = batched ? query.size(1 - length) : 1,
          .H = heads,
          .L = query.size(length),
          .S = key.size(length)};
}

Mask mask_of(const AttentionArguments& a, const AttentionLengths& n, const std::string& who) {
  const int64_t B = n.B, H = n.H, L = n.L, S = n.S;
  const Mask padding = a.key_padding_mask.with_tensors([&](const Tensor& x) {
    if (x.rank() == 4) return x;
    SLOPE_CHECK_SHAPE(x.shape() == (Dims{B, S}) || (B == 1 && x.shape() == Dims{S}),
                      "{}: key_padding_mask has shape {}, but should be {}", who, x.shape(),
                      Dims{B, S});
    return x.reshape({B, 1, 1, S});
  });
  const Mask attention = a.attn_mask.with_tensors([&](const Tensor& x) {
    if (x.rank() == 4) return x;
    SLOPE_CHECK_SHAPE(x.rank() == 2 || x.rank() == 3,
                      "{}: attn_mask has {} dims, but should have 2 or 3", who, x.rank());
    const Dims expected = x.rank() == 2 ? Dims{L, S} : Dims{B * H, L, S};
    SLOPE_CHECK_SHAPE(x.shape() == expected,
                      "{}: the shape of the {}-D attn_mask is {}, but should be {}", who, x.rank(),
                      x.shape(), expected);
    return x.rank() == 2 ? x : x.reshape({B, H, L, S});
  });
  SLOPE_CHECK_AS(UsageError, !a.is_causal || !attention.allows_everything(),
                 "{}: is_causal needs attn_mask too", who);
  // query i sees the keys up to key i
  SLOPE_CHECK_AS(UsageError,
                 !a.is_causal || all(attention.tensor(L, S) == tril(ones({L, S}, boolean))),
                 "{}: is_causal says that attn_mask is the causal mask, but it is another", who);
  return attention & padding;
}

void check_inputs(const Tensor& query, const Tensor& key, const Tensor& value,
                  const AttentionWidths& widths, const char* who) {
  const int64_t rank = query.rank();
  SLOPE_CHECK_SHAPE(rank == 2 || rank == 3,
                    "{}: query should be unbatched (2-D) or batched (3-D), but is {}-D", who, rank);
  SLOPE_CHECK_SHAPE(key.rank() == rank && value.rank() == rank,
                    "{}: for {} ({}-D) query, expected key and value to be {}-D but found {}-D and "
                    "{}-D",
                    who, rank == 3 ? "batched" : "unbatched", rank, rank, key.rank(), value.rank());
  const auto width = [&](const char* name, const Tensor& x, int64_t expected) {
    SLOPE_CHECK_SHAPE(x.size(-1) == expected, "{}: was expecting {} channels in {}, but got {}",
                      who, expected, name, x.size(-1));
  };
  width("query", query, widths.query);
  width("key", key, widths.key);
  width("value", value, widths.value);
  for (int64_t d = 0; d + 1 < rank; ++d)
    SLOPE_CHECK_SHAPE(key.size(d) == value.size(d),
                      "{}: sequence and batch dims of key {} and value {} do not match", who,
                      key.shape(), value.shape());
}

}  // namespace slope::nn
