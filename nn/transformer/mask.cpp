#include <slope/nn/transformer/mask.h>
#include <slope/nn/transformer/sequences.h>

#include <cmath>

namespace slope::nn {

Mask Mask::padding(const Tensor& ids, int64_t pad) {
  SLOPE_CHECK_SHAPE(ids.rank() == 2, "Mask::padding: ids must be (batch, length), got shape {}",
                    ids.shape());
  return allow((ids != static_cast<double>(pad)).unsqueeze(1).unsqueeze(1));  // (B, 1, 1, S)
}

Mask Mask::causal(int64_t L, int64_t offset) {
  SLOPE_CHECK_SHAPE(L >= 0 && offset >= 0,
                    "Mask::causal: length and offset must not be negative, got {} and {}", L,
                    offset);
  Mask mask;
  mask.causal_ = true;
  mask.L_ = L;
  mask.offset_ = offset;
  return mask;
}

Mask Mask::allow(const Tensor& may_attend) {
  SLOPE_CHECK_DTYPE(may_attend.dtype() == boolean, "Mask: needs a bool tensor, got {}",
                    name(may_attend.dtype()));
  Mask mask;
  mask.allowed_ = may_attend;
  return mask;
}

Mask Mask::block(const Tensor& must_not) {
  SLOPE_CHECK_DTYPE(must_not.dtype() == boolean, "Mask: needs a bool tensor, got {}",
                    name(must_not.dtype()));
  return allow(!must_not);
}

Mask Mask::add(const Tensor& to_scores) {
  SLOPE_CHECK_DTYPE(is_computed_in(to_scores.dtype()),
                    "Mask::add: needs a float32 or float64 tensor, got {}; Mask::allow and "
                    "Mask::block take bools",
                    name(to_scores.dtype()));
  Mask mask;
  mask.added_ = to_scores;
  return mask;
}

Mask Mask::sequences(const Tensor& query_lengths, const Tensor& key_lengths) {
  SLOPE_CHECK_SHAPE(query_lengths.rank() == 1 && query_lengths.shape() == key_lengths.shape(),
                    "Mask::sequences: needs a length for each sequence of queries and of keys, got "
                    "shapes {} and {}",
                    query_lengths.shape(), key_lengths.shape());
  Mask mask;
  mask.queries_ = packed_rows("Mask::sequences", query_lengths);
  mask.keys_ = packed_rows("Mask::sequences", key_lengths);
  mask.query_lengths_ = query_lengths.contiguous();
  mask.key_lengths_ =
      key_lengths.is_same(query_lengths) ? mask.query_lengths_ : key_lengths.contiguous();
  return mask;
}

Mask Mask::causal_sequences(const Tensor& lengths) {
  const int64_t rows = packed_rows("Mask::causal_sequences", lengths);
  return sequences(lengths, lengths) & causal(rows);
}

namespace {
bool same_lengths(const Tensor& a, const Tensor& b) { return a.is_same(b) || equal(a, b); }
}  // namespace

Mask operator&(const Mask& a, const Mask& b) {
  SLOPE_CHECK(!a.query_lengths_.defined() || !b.query_lengths_.defined() ||
                  (same_lengths(a.query_lengths_, b.query_lengths_) &&
                   same_lengths(a.key_lengths_, b.key_lengths_)),
              "Mask: masks of different sequences cannot be combined");
  SLOPE_CHECK_SHAPE(!a.causal_ || !b.causal_ || (a.L_ == b.L_ && a.offset_ == b.offset_),
                    "Mask: causal masks of different lengths cannot be combined: ({}, offset {}) "
                    "and ({}, offset {})",
                    a.L_, a.offset_, b.L_, b.offset_);
  Mask both = a.causal_ ? a : b;
  both.allowed_ = !a.allowed_.defined()   ? b.allowed_
                  : !b.allowed_.defined() ? a.allowed_
                                          : logical_and(a.allowed_, b.allowed_);
  both.added_ = !a.added_.defined()   ? b.added_
                : !b.added_.defined() ? a.added_
                                      : a.added_ + b.added_;
  if (!both.query_lengths_.defined()) {
    const Mask& other = a.query_lengths_.defined() ? a : b;
    both.query_lengths_ = other.query_lengths_;
    both.key_lengths_ = other.key_lengths_;
    both.queries_ = other.queries_;
    both.keys_ = other.keys_;
  }
  SLOPE_CHECK(!both.causal_ || !both.query_lengths_.defined() ||
                  (both.query_lengths_.is_same(both.key_lengths_) && both.offset_ == 0),
              "Mask: sequences can be causal only on themselves; use Mask::causal_sequences");
  return both;
}

AttentionOptions Mask::options(int64_t L, int64_t S) const {
  SLOPE_CHECK_SHAPE(
      !causal_ || (L == L_ && S == L_ + offset_),
      "attention: {} queries and {} keys, but the causal mask is for {} queries and {} keys", L, S,
      L_, L_ + offset_);
  for (const Tensor& x : {allowed_, added_})
    SLOPE_CHECK_SHAPE(
        !x.defined() ||
            broadcasts_to(Dims{x.rank() > 1 ? x.size(-2) : 1, x.rank() > 0 ? x.size(-1) : 1},
                          Dims{L, S}),
        "attention: {} queries and {} keys, but the mask has shape {}", L, S, x.shape());
  SLOPE_CHECK_SHAPE(!query_lengths_.defined() || (L == queries_ && S == keys_),
                    "attention: {} queries and {} keys, but the mask is for sequences of {} and {}",
                    L, S, queries_, keys_);
  return {.mask = allowed_,
          .causal = causal_ && L > 1,  // one query sees all keys up to itself
          .query_lengths = query_lengths_,
          .key_lengths = key_lengths_};
}

namespace {
// For each of `rows` rows, the number of its sequence: (rows).
Tensor sequence_numbers(const Tensor& lengths, int64_t rows) {
  // the caller may have changed the tensor since
  const int64_t now = packed_rows("Mask::tensor", lengths);
  SLOPE_CHECK_SHAPE(now == rows,
                    "Mask::tensor: the sequences had {} rows when the mask was made, now {}", rows,
                    now);
  const Tensor numbers = Tensor::empty({rows}, i64);
  const auto out = numbers.write<int64_t>();
  int64_t* next = out;
  for (int64_t i = 0; i < lengths.numel(); ++i)
    next = std::fill_n(next, lengths.data<int64_t>()[i], i);
  return numbers;
}
}  // namespace

Tensor Mask::tensor(int64_t L, int64_t S) const {
  const AttentionOptions o = options(L, S);
  Tensor may = o.mask;
  const auto only = [&](const Tensor& where) {
    may = may.defined() ? logical_and(may, where) : where;
  };
  // keys up to the query's own position
  if (o.causal) only(arange(S) <= (arange(L) + static_cast<double>(offset_)).unsqueeze(1));
  if (o.query_lengths.defined())
    only(sequence_numbers(o.query_lengths, L).unsqueeze(1) == sequence_numbers(o.key_lengths, S));
  if (added_.defined()) only(added_.detach() != -INFINITY);
  return may.defined() ? may : ones({L, S}, boolean);
}

Mask Mask::with_open_keys(int64_t L, int64_t S, int64_t n) const {
  const auto wider = [&](const Tensor& x, double open) {
    Dims shape = x.rank() == 0 ? Dims{1} : x.shape();
    shape.back() = S;  // x may have had 1 there, to be broadcast
    return pad(x.expand(shape), {0, n}, open);
  };
  Mask mask;
  if (allowed_.defined() || causal_ || query_lengths_.defined()) {
    Mask without_numbers = *this;
    without_numbers.added_ = {};
    mask.allowed_ = wider(without_numbers.tensor(L, S), 1);
  }
  if (added_.defined()) mask.added_ = wider(added_, 0);
  return mask;
}

}  // namespace slope::nn
