#include <slope/nn/mask.h>

namespace slope::nn {

Mask Mask::padding(const Tensor& ids, int64_t pad) {
  SLOPE_CHECK_SHAPE(ids.rank() == 2, "Mask::padding: ids must be (batch, length), got shape {}", ids.shape());
  return allow((ids != static_cast<double>(pad)).unsqueeze(1).unsqueeze(1));  // (B, 1, 1, S)
}

Mask Mask::causal(int64_t L, int64_t offset) {
  SLOPE_CHECK_SHAPE(L >= 0 && offset >= 0, "Mask::causal: length and offset must not be negative, got {} and {}", L, offset);
  Mask mask;
  mask.causal_ = true;
  mask.L_ = L;
  mask.offset_ = offset;
  return mask;
}

Mask Mask::allow(const Tensor& may_attend) {
  SLOPE_CHECK_DTYPE(may_attend.dtype() == boolean, "Mask: needs a bool tensor, got {}", name(may_attend.dtype()));
  Mask mask;
  mask.allowed_ = may_attend;
  return mask;
}

Mask Mask::block(const Tensor& must_not) {
  SLOPE_CHECK_DTYPE(must_not.dtype() == boolean, "Mask: needs a bool tensor, got {}", name(must_not.dtype()));
  return allow(!must_not);
}

Mask operator&(const Mask& a, const Mask& b) {
  SLOPE_CHECK_SHAPE(!a.causal_ || !b.causal_ || (a.L_ == b.L_ && a.offset_ == b.offset_),
                    "Mask: two causal masks of different lengths: ({}, offset {}) and ({}, offset {})", a.L_, a.offset_, b.L_, b.offset_);
  Mask both = a.causal_ ? a : b;
  both.allowed_ = !a.allowed_.defined() ? b.allowed_ : !b.allowed_.defined() ? a.allowed_ : logical_and(a.allowed_, b.allowed_);
  return both;
}

AttentionOptions Mask::options(int64_t L, int64_t S) const {
  SLOPE_CHECK_SHAPE(!causal_ || (L == L_ && S == L_ + offset_),
                    "attention: {} queries and {} keys, but the causal mask is for {} queries and {} keys", L, S, L_, L_ + offset_);
  SLOPE_CHECK_SHAPE(
      !allowed_.defined() ||
          broadcasts_to(Dims{allowed_.rank() > 1 ? allowed_.size(-2) : 1, allowed_.rank() > 0 ? allowed_.size(-1) : 1}, Dims{L, S}),
      "attention: {} queries and {} keys, but the mask has shape {}", L, S, allowed_.shape());
  return {.mask = allowed_, .causal = causal_ && L > 1};  // one query sees all keys up to itself
}

Tensor Mask::tensor(int64_t L, int64_t S) const {
  const AttentionOptions o = options(L, S);
  if (!o.causal) return o.mask.defined() ? o.mask : ones({L, S}, boolean);
  const Tensor query = (arange(L) + static_cast<double>(offset_)).unsqueeze(1);  // (L, 1)
  const Tensor past = arange(S) <= query;                                        // (L, S)
  return o.mask.defined() ? logical_and(o.mask, past) : past;
}

}  // namespace slope::nn
