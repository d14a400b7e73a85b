// Keys and values of an attention, kept from step to step of decoding: a step appends its own and
// gets all so far.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

struct KeysValues {
  Tensor k, v;  // (B, H, S, D) each
};

// A tensor (B, H, S, D) that grows along S. It begins with room for 16 steps or 64 KiB of them and
// doubles when it is full, so that a step copies little but what it appends. Where a graph is
// recorded, or somebody still holds what the last append gave, it is a copy: with its gradient, and
// as it was. Copies are independent of one another. DTypeError where the dtype changes.
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

// What one attention attends to: its own past, which grows by each step's tokens, or an encoder's
// output (memory), the same in every step.
enum class KeysOf { past, memory };

class KvCache {
 public:
  explicit KvCache(KeysOf of = KeysOf::past) : of_(of) {}
  // All keys and values of this step. `newest()` gives those of its input: appended to the past, or
  // called once, in the first step, for memory.
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

// For an attention's forward, which trains and decodes alike: without a cache, those of its input.
template <class F>
KeysValues keys_values(KvCache* cache, const F& newest) {
  return cache ? cache->update(newest) : newest();
}

}  // namespace slope::nn
