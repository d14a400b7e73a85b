// Decoding: from source sentences to the target sentences that a model finds most likely, greedily
// or by beam search. The search knows a model as three functions, so that a table of probabilities
// can stand for it in tests.
#pragma once

#include <slope/models/kinds/decoding.h>

#include <cstdint>
#include <vector>

namespace slope::train {

using Sentence = std::vector<int64_t>;  // token numbers

using models::Decoding, models::StartDecoding;

// at once, for the sake of memory; more where batch_size says so
constexpr int64_t most_prefixes = 256;

struct DecodeOptions {
  int64_t beam = 1;  // 1: greedy
  // alpha of score = log p / length^alpha; length counts <eos>; 0: log p alone, which
  // favours short sentences
  double length_penalty = 1;
  int64_t max_length = 0;  // tokens; a sentence that has no <eos> among them is cut off; 0: as many
                           // as the model has positions
  int64_t batch_size = 64;  // sentences at once; fewer where their beams together have more than
                            // `most_prefixes` prefixes
  // never write <unk>, but the likeliest other token; probabilities stay the model's
  bool ban_unk = false;
  bool cached = true;  // false: the whole prefix at each step, for comparison
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

// The best target of each source, without <sos> and <eos>. Sources (<sos> … <eos>) may come in any
// order: they are decoded in batches of like length. Of equally good tokens the lower number wins.
// <pad> and <sos> are never written. Sentences that are finished leave the batch.
//   A beam keeps the `beam` best unfinished prefixes. One that ends in <eos> and is among
//   the `beam` best continuations is finished; a sentence is done when `beam` are
//   finished, and the best of them by score is taken. A beam of 1 is greedy decoding: the
//   likeliest token at each step.
// A search that knows no model needs a max_length of at least 1. UsageError for options that make
// no sense; NumericError where a logit is nan.
std::vector<Sentence> decode(const StartDecoding& start, const std::vector<Sentence>& sources,
                             const DecodeOptions& options);

}  // namespace slope::train
