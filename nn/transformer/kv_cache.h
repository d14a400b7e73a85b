// Keys and values of an attention, kept between decoding steps: each step appends its own and gets
// all of them so far.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

struct KeysValues {
  Tensor k, v;  // (B, H, S, D) each
};

// A tensor (B, H, S, D) that grows along S. It starts with room for 16 steps, or 64 KiB if that is
// more, and doubles when full, so that a step copies little besides what it appends. If a graph is
// recorded, or if somebody still holds the result of the last append, append makes a copy, so that
// gradients flow and held results do not change. A copied GrowingTensor grows independently.
// DTypeError if the dtype changes.
class GrowingTensor {
 public:
  Tensor append(const Tensor& x);   // (B, H, T, D) -> (B, H, S + T, D), all so far
  void select(const Tensor& rows);  // keeps and reorders B: rows (B') i64
  int64_t length() const { return length_; }

 private:
  Tensor all() const;
  bool is_ours_alone() const;
  Tensor room_;  // (B, H, S or more, D)
  int64_t length_ = 0;
};

// Which keys and values an attention has: those of its own past, which grows by each step's tokens,
// or of an encoder's output (memory), the same in every step.
enum class KeysOf { past, memory };

class KvCache {
 public:
  explicit KvCache(KeysOf of = KeysOf::past) : of_(of) {}
  // All keys and values for this step. `newest()` computes those of the step's input, which are
  // appended to the past; for memory it is called only in the first step.
  template <class F>
  KeysValues update(const F& newest) {
    if (of_ == KeysOf::past) return append(newest());
    if (!memory_.k.defined()) memory_ = newest();
    return memory_;
  }
  KeysValues append(const KeysValues& newest) { return {k_.append(newest.k), v_.append(newest.v)}; }
  void select(const Tensor& rows);  // keeps and reorders B: rows (B') i64
  int64_t length() const { return k_.length(); }

 private:
  KeysOf of_;
  GrowingTensor k_, v_;
  KeysValues memory_;
};

// All keys and values, for a forward that serves training and decoding: without a cache, only
// those of its input.
template <class F>
KeysValues keys_values(KvCache* cache, const F& newest) {
  return cache ? cache->update(newest) : newest();
}

}  // namespace slope::nn
