#include <slope/nn/positions/relative.h>

#include <bit>
#include <cmath>

namespace slope::nn {

namespace {

// j - (i + S - L) for query i and key j: (L, S), i64
Tensor distances(int64_t L, int64_t S) {
  SLOPE_CHECK_SHAPE(L >= 0 && S >= L, "positions: {} queries need at least as many keys, got {}", L,
                    S);
  return arange(S) - (arange(L) + static_cast<double>(S - L)).unsqueeze(-1);
}

}  // namespace

Tensor alibi_slopes(int64_t heads) {
  SLOPE_CHECK_SHAPE(heads > 0, "alibi: needs a head, got {}", heads);
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<float> slopes;
  const auto add = [&](int64_t numerator, int64_t of) {
    slopes.push_back(static_cast<float>(
        std::exp2(-8 * static_cast<double>(numerator) / static_cast<double>(of))));
  };
  for (int64_t h = 1; h <= n; ++h) add(h, n);
  for (int64_t h = 0; h < heads - n; ++h) add(2 * h + 1, 2 * n);
  return from_vector(slopes, {heads});
}

Tensor alibi(int64_t heads, int64_t L, int64_t S) {
  return -(alibi_slopes(heads).reshape({heads, 1, 1}) * to(abs(distances(L, S)), f32));
}

Tensor relative_position_bucket(const Tensor& relative_position, const BucketOptions& options) {
  const int64_t side = options.both_sides ? options.buckets / 2 : options.buckets, exact = side / 2,
                most = options.max_distance;
  SLOPE_CHECK(exact > 0 && most > exact,
              "relative_position_bucket: {} buckets are too few, or max_distance {} is not above "
              "{}",
              options.buckets, most, exact);
  SLOPE_CHECK_DTYPE(relative_position.dtype() == i64,
                    "relative_position_bucket: distances must be int64, got {}",
                    name(relative_position.dtype()));
  const Tensor d = contiguous(relative_position), bucket = Tensor::empty(d.shape(), i64);
  const int64_t* from = d.data<int64_t>();
  const auto out = bucket.write<int64_t>();
  for (int64_t i = 0; i < d.numel(); ++i) {
    const bool later = from[i] > 0;
    const int64_t n = options.both_sides ? std::abs(from[i]) : std::max<int64_t>(-from[i], 0);
    // in f32, as in the published code: at some distances rounding decides
    const float share = std::log(static_cast<float>(n) / static_cast<float>(exact)) /
                        static_cast<float>(std::log(static_cast<double>(most) / exact)) *
                        static_cast<float>(side - exact);
    const int64_t large = n < exact ? n : std::min(side - 1, exact + static_cast<int64_t>(share));
    out[i] = large + (options.both_sides && later ? side : 0);
  }
  return bucket;
}

Tensor RelativeAttentionBias::forward(int64_t L, int64_t S) const {
  return relative_attention_bias(relative_position_bucket(distances(L, S), options))
      .permute({2, 0, 1});
}

}  // namespace slope::nn
