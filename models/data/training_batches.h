// The batches of all epochs as one endless sequence, prepared ahead. Its position, the number of
// batches consumed since the first epoch began, is all that a resume needs: a sequence that starts
// there continues exactly like one that ran that far. The pairs belong to the caller and must
// outlive this object.
#pragma once

#include <slope/models/data/batches.h>
#include <slope/models/data/prefetch.h>

#include <functional>
#include <numeric>

namespace slope::data {

class TrainingBatches {
 public:
  // Pair number `row`, split into subwords anew for an epoch; called in the prefetch thread.
  using Recut = std::function<Pair(int64_t row, int64_t epoch)>;

  TrainingBatches(std::span<const Pair> pairs, const BatchOptions& options, int64_t position = 0,
                  Recut recut = {})
      : pairs_(pairs), options_(options), recut_(std::move(recut)),
        per_epoch_(static_cast<int64_t>(training_order(pairs_, options_, 0).size())),
        prefetch_([this](int64_t k) { return produce(k); }, position) {}

  Batch next() { return prefetch_.next(); }
  int64_t position() const { return prefetch_.position(); }
  int64_t per_epoch() const { return per_epoch_; }  // the same in every epoch

 private:
  Batch produce(int64_t k) {  // in the prefetch thread
    if (const int64_t epoch = k / per_epoch_; epoch != order_epoch_)
      order_ = training_order(pairs_, options_, order_epoch_ = epoch);
    const Rows& rows = order_[static_cast<size_t>(k % per_epoch_)];
    if (!recut_) return make_batch(pairs_, rows);
    std::vector<Pair> cut;
    for (int64_t row : rows) cut.push_back(recut_(row, order_epoch_));
    Rows all(cut.size());
    std::iota(all.begin(), all.end(), 0);
    return make_batch(cut, all);
  }

  const std::span<const Pair> pairs_;
  const BatchOptions options_;
  const Recut recut_;
  const int64_t per_epoch_;
  int64_t order_epoch_ = -1;
  std::vector<Rows> order_;
  Prefetch<Batch> prefetch_;  // last: its thread uses the other members
};

}  // namespace slope::data
