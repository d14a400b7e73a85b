// Sentence pairs as padded batches of token ids. A batch holds sentences of similar length, so that
// little of it is padding; which pairs share a batch is a function of (seed, epoch) alone.
#pragma once

#include <slope/models/data/text/read_text.h>
#include <slope/models/data/tokenizer.h>

#include <span>

namespace slope::data {

struct Pair {
  std::vector<int64_t> source, target;  // <sos> … <eos>
};

struct Pairs {
  std::vector<Pair> pairs;
  std::vector<size_t> lines;  // the line of the text that each pair is from, counted from 0
  // pairs without a word on one side; pairs longer than the model's positions
  int64_t skipped_empty = 0, skipped_long = 0;
};

// `positions`: how many tokens the model can take. It reads a complete source, and a target without
// its last token. InputError if no pair is left.
Pairs encode_pairs(const ParallelText& text, const Tokenizer& source, const Tokenizer& target,
                   int64_t positions);

// Keeps pairs spread evenly over `pairs`, with about `tokens` target tokens in total; keeps all
// pairs if they have no more.
std::vector<Pair> spread(std::vector<Pair> pairs, int64_t tokens);

struct Batch {
  int64_t size = 0, source_length = 0, target_length = 0;  // B S T
  std::vector<int64_t> source, target;  // (B, S) and (B, T), row-major, <pad> after each sentence
  // without padding; in targets, only the predicted tokens: all but <sos>
  int64_t source_tokens = 0, target_tokens = 0;
};

using Rows = std::vector<int64_t>;  // indices of the pairs of one batch
Batch make_batch(std::span<const Pair> pairs, std::span<const int64_t> rows);

struct BatchOptions {
  int64_t batch_size = 128;
  uint64_t seed = 0;
  // how many batches of pairs to sort by length together: many save padding, few mix better
  int64_t pool = 50;
};

// The batches of an epoch: shuffles the pairs, sorts pools of them by length, cuts these into
// batches, shuffles the batches. Each pair occurs once.
std::vector<Rows> training_order(std::span<const Pair> pairs, const BatchOptions& options,
                                 int64_t epoch);

// For evaluation: all pairs sorted by length, always in the same order.
std::vector<Rows> sorted_order(std::span<const Pair> pairs, int64_t batch_size);

}  // namespace slope::data
