// Positions that enter the scores instead of the embeddings: a number for each head and each
// distance between query i and key j, added before the softmax. Query i stands at position
// i + S - L: keys of earlier tokens, which a cache holds, come first.
#pragma once

#include <slope/nn/layers/embedding.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

// ALiBi (Press et al., 2022): -m_h |i - j|. The slopes m_h are a geometric series from 2^(-8/H) to
// 2^-8. If H is not a power of two, they are the slopes for the next lower power of two, followed
// by every second slope for the next higher one.
Tensor alibi_slopes(int64_t heads);                 // (H)
Tensor alibi(int64_t heads, int64_t L, int64_t S);  // (H, L, S)

// T5 (Raffel et al., 2020): a bucket in [0, buckets) for each distance j - i. Distances below
// buckets / 4 (buckets / 2 unless `both_sides`) have a bucket each, larger ones share buckets by
// their logarithm, and from max_distance on all share the last. `both_sides`: half of the buckets
// are for keys after the query; otherwise these count as distance 0.
struct BucketOptions {
  bool both_sides = true;
  int64_t buckets = 32, max_distance = 128;
};
Tensor relative_position_bucket(const Tensor& relative_position,
                                const BucketOptions& options = {});  // i64 -> i64

// T5's bias of the scores, learned for each bucket and head; named and saved like that of Hugging
// Face's T5Attention.
struct RelativeAttentionBias {
  Embedding relative_attention_bias;  // (buckets, H)
  BucketOptions options;

  explicit RelativeAttentionBias(int64_t heads, BucketOptions o = {})
      : relative_attention_bias(o.buckets, heads), options(o) {}
  Tensor forward(int64_t L, int64_t S) const;  // (H, L, S)

  RelativeAttentionBias blank() const {
    return RelativeAttentionBias(relative_attention_bias.weight.size(1), options);
  }
  SLOPE_MODULE(RelativeAttentionBias, relative_attention_bias)
};

}  // namespace slope::nn
