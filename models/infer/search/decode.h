// Decoding: from source sentences to the target sentences that a model finds most likely, greedily
// or by beam search. The search sees a model as three functions (kinds/decoding.h); tests pass a
// table of probabilities.
#pragma once

#include <slope/models/kinds/decoding.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slope::train {

using Sentence = std::vector<int64_t>;  // token ids

using models::Decoding, models::StartDecoding;

// To limit memory, at most this many prefixes are decoded together (or batch_size, if that is
// more).
constexpr int64_t most_prefixes = 256;

enum class Unknown { write, ban, copy };
Unknown unknown_words(const std::string& name);  // by these names; UsageError for any other

struct DecodeOptions {
  int64_t beam = 1;    // 1: greedy
  int64_t n_best = 1;  // translations of a sentence, at most `beam`
  // alpha in score = log p / length^alpha; length counts <eos>; 0: log p alone, which favours short
  // sentences
  double length_penalty = 1;
  int64_t max_length = 0;   // tokens; a sentence without <eos> among them is cut off; 0: as many
                            // as the model has positions
  int64_t batch_size = 64;  // sentences at once; with a beam, at most most_prefixes / beam
  // ban: write the likeliest other token instead of <unk>; probabilities stay the model's. copy:
  // replace <unk> by a source word when the translation is written (translate.h)
  Unknown unk = Unknown::write;
  Sentence prefix = {};  // with which every translation begins
  bool scores = false;   // compute probabilities even if the search is greedy and needs none
  bool cached = true;    // false: recompute the prefix at each step, for comparison
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

struct Hypothesis {
  Sentence tokens;
  double log_p = 0, score = 0;  // 0 where greedy decoding was not asked for them
};

// The best target of each source, without <sos> and <eos>. Sources (<sos> … <eos>) may come in any
// order: they are decoded in batches of similar length. Of equally good tokens the lower id wins.
// <pad> and <sos> are never written. Finished sentences leave the batch.
//   A beam holds the `beam` best unfinished prefixes. A prefix that ends in <eos> and is among the
//   `beam` best continuations is finished; the best finished one by score is taken. The search goes
//   on until no prefix can win any more. Whatever follows a prefix, its log p only falls, so that
//   its score is at most
//     log p / max_length^alpha    if alpha >= 0: longer is better
//     log p / (l + 1)^alpha       if alpha < 0: shorter is better; after l tokens, <eos> is next.
//   Prefixes that max_length cuts off are taken, the likeliest first, only if too few sentences
//   end. Greedy decoding's own prefix is followed too if the beam drops it, so that a beam is never
//   worse than greedy where both end or both are cut off. A beam of 1 is greedy decoding: the most
//   likely token at each step.
// Here max_length must be at least 1 (translate() replaces a 0), and exceed the prefix's length.
// UsageError for options that make no sense; NumericError if a logit is nan.
std::vector<Sentence> decode(const StartDecoding& start, const std::vector<Sentence>& sources,
                             const DecodeOptions& options);

// The n_best targets of each source, the best first; the first one is decode()'s. The search goes
// on until no prefix can be among them. Targets that max_length cuts off come last. There are fewer
// than n_best where no more exist: 3 words and a max_length of 1 make at most 4.
std::vector<std::vector<Hypothesis>> decode_n_best(const StartDecoding& start,
                                                   const std::vector<Sentence>& sources,
                                                   const DecodeOptions& options);

}  // namespace slope::train
