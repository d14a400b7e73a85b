#include <slope/nn/functional/attention.h>
#include <slope/nn/transformer/heads.h>

#include <cmath>

namespace slope::nn {

AttentionOutput biased_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const Mask& mask, double dropout, std::optional<double> scale) {
  const Tensor b = mask.added();
  SLOPE_CHECK_DTYPE(b.dtype() == q.dtype(),
                    "attention: the mask that is added must have the dtype of the scores, got {} "
                    "and {}; convert one",
                    name(b.dtype()), name(q.dtype()));
  const double D = static_cast<double>(q.size(-1)),
               by = scale.value_or(D > 0 ? 1 / std::sqrt(D) : 1);
  const Tensor qk = matmul(q, k.transpose(-2, -1)) * by;
  SLOPE_CHECK_SHAPE(broadcasts_to(b.shape(), qk.shape()),
                    "attention: the mask {} does not broadcast to the scores {}", b.shape(),
                    qk.shape());
  const Tensor scores = qk + b;
  const Tensor hidden =
      logical_or(!mask.tensor(q.size(-2), k.size(-2)), scores.detach() == -INFINITY);
  // a row that is all hidden has scores of 0 before the softmax (else nan), weights of 0 after it
  const Tensor none = hidden.size(-1) == 0 ? hidden : amin(hidden, {-1}, keepdim),
               seen = masked_fill(masked_fill(scores, hidden, -INFINITY), none, 0),
               w = masked_fill(softmax(seen, -1), hidden, 0);
  return {matmul(slope::dropout(w, dropout), v), w};
}

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const ScaledDotProductOptions& o) {
  const char* who = "scaled_dot_product_attention";
  SLOPE_CHECK_AS(UsageError, !o.is_causal || o.attn_mask.allows_everything(),
                 "{}: attn_mask must not be given when is_causal is set", who);
  SLOPE_CHECK_SHAPE(q.rank() >= 2 && k.rank() >= 2,
                    "{}: q and k must have at least 2 dims, got shapes {} and {}", who, q.shape(),
                    k.shape());
  const auto repeat_heads = [&](const Tensor& x) {
    if (!o.enable_gqa) return x;
    SLOPE_CHECK_SHAPE(
        q.rank() >= 3 && x.rank() >= 3 && x.size(-3) > 0 && q.size(-3) % x.size(-3) == 0,
        "{}: enable_gqa needs heads of keys and values that divide those of queries; "
        "got shapes {} and {}",
        who, q.shape(), x.shape());
    const int64_t times = q.size(-3) / x.size(-3);
    return times == 1 ? x : repeat_interleave(x, times, -3);
  };
  const int64_t L = q.size(-2), S = k.size(-2);
  const Mask mask = !o.is_causal ? o.attn_mask
                    : L == S     ? Mask::causal(L)
                                 : Mask::allow(tril(ones({L, S}, boolean)));
  return attend(q, repeat_heads(k), repeat_heads(v), mask, o.dropout_p, o.scale);
}

}  // namespace slope::nn
