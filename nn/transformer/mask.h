// Mask: which keys a query may attend to. It is a separate type, so that nobody has to guess
// whether true means "may" or "must not":
//   Mask self = Mask::padding(ids, pad) & Mask::causal(T);
// It may also have numbers that are added to the scores, as ALiBi's are; they get gradients.
// A query that may attend to nothing gets a zero output and zero gradients.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

class Mask {
 public:
  Mask() = default;  // every query may attend to every key
  // (B, S) -> keys that are not `pad`, for each sequence
  static Mask padding(const Tensor& ids, int64_t pad);
  // query i is at position i + offset and may attend to keys up to there; S = L + offset
  static Mask causal(int64_t L, int64_t offset = 0);
  static Mask allow(const Tensor& may_attend);  // bool, broadcasts to (B, H, L, S); true: may
  static Mask block(const Tensor& must_not);    // true: must not
  static Mask add(const Tensor& to_scores);     // f32 or f64, broadcasts likewise; -inf: must not
  // Sequences packed one after the other without padding (sequences.h): queries attend only to keys
  // of their own sequence. Both i64 (number of sequences).
  static Mask sequences(const Tensor& query_lengths, const Tensor& key_lengths);
  static Mask causal_sequences(const Tensor& lengths);  // self-attention, causal
  // Allows what both masks allow, and adds the numbers of both. Error if they are of sequences of
  // different lengths, ShapeError if causal masks are of different lengths.
  friend Mask operator&(const Mask& a, const Mask& b);

  bool allows_everything() const {
    return !allowed_.defined() && !added_.defined() && !causal_ && !query_lengths_.defined();
  }
  Tensor tensor(int64_t L, int64_t S) const;  // bool, broadcasts to (B, H, L, S), true: may
  // The mask as attention takes it, without the numbers that it adds. ShapeError if it was made for
  // other lengths.
  AttentionOptions options(int64_t L, int64_t S) const;
  const Tensor& added() const { return added_; }  // undefined: nothing
  // The same mask with f(x), such as a reshaped x, in place of each tensor x that it holds: the
  // allowed keys and the numbers to add.
  template <class F>
  Mask with_tensors(const F& f) const {
    Mask mask = *this;
    if (allowed_.defined()) mask.allowed_ = f(allowed_);
    if (added_.defined()) mask.added_ = f(added_);
    return mask;
  }
  // The same for S + n keys, of which the last n are open to every query.
  Mask with_open_keys(int64_t L, int64_t S, int64_t n) const;

 private:
  Tensor allowed_;  // undefined: all
  Tensor added_;    // undefined: nothing
  bool causal_ = false;
  int64_t L_ = 0, offset_ = 0;          // of the causal part
  Tensor query_lengths_, key_lengths_;  // undefined: one sequence
  int64_t queries_ = 0, keys_ = 0;      // their sums
};

}  // namespace slope::nn
