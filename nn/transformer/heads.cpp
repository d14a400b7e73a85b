#include <slope/nn/functional/attention.h>
#include <slope/nn/transformer/heads.h>

namespace slope::nn {

Tensor split_heads(const Tensor& x, int64_t heads) {
  const auto [B, L, C] = x.dims<3>();
  SLOPE_CHECK_SHAPE(heads > 0 && C % heads == 0, "split_heads: {} heads do not divide {} channels",
                    heads, C);
  return x.reshape({B, L, heads, C / heads}).transpose(1, 2);
}

int64_t checked_heads(int64_t heads, int64_t channels, const char* heads_are,
                      const char* channels_are) {
  SLOPE_CHECK_AS(UsageError, heads > 0 && channels % heads == 0, "{} {} is not divisible by {} {}",
                 channels_are, channels, heads_are, heads);
  return heads;
}

Tensor merge_heads(const Tensor& x) {
  const auto [B, H, L, D] = x.dims<4>();
  return x.transpose(1, 2).reshape({B, L, H * D});
}

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, double dropout,
              std::optional<double> scale) {
  if (attention_is_captured() || mask.added().defined())
    return attend_with_weights(q, k, v, mask, dropout, scale).output;
  AttentionOptions options = mask.options(q.size(-2), k.size(-2));
  options.dropout = dropout;
  options.scale = scale;
  return scaled_dot_product_attention(q, k, v, options);
}

AttentionOutput attend_with_weights(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Mask& mask, double dropout, std::optional<double> scale) {
  AttentionOptions options = mask.options(q.size(-2), k.size(-2));
  options.dropout = dropout;
  options.scale = scale;
  const AttentionOutput y = mask.added().defined()
                                ? biased_attention(q, k, v, mask, dropout, scale)
                                : scaled_dot_product_attention_with_weights(q, k, v, options);
  if (attention_is_captured()) capture_attention(y.weights);
  return y;
}

void check_positions(int64_t length, int64_t positions, const char* who, int64_t offset) {
  SLOPE_CHECK_INDEX(offset >= 0, "{}: the offset must not be negative, got {}", who, offset);
  SLOPE_CHECK_SHAPE(length + offset <= positions, "{}: sequence of {} exceeds {} positions", who,
                    length + offset, positions);
}

void check_table(const char* who, int64_t positions, int64_t channels) {
  SLOPE_CHECK_AS(UsageError, numel({positions, channels}) <= int64_t{1} << 26,
                 "{}: a table of {} positions and {} channels has more than 2^26 elements", who,
                 positions, channels);
}

}  // namespace slope::nn
