// The log-probability of given translations: to rerank those of other systems, or to see what a
// model thinks of a reference.
#pragma once

#include <slope/models/infer/translate.h>

namespace slope::train {

struct PairScore {
  double log_p = 0;    // of all tokens, <eos> included
  int64_t tokens = 0;  // their number
  double score = 0;    // log p / tokens^length_penalty, as in a search
};

// The score of each pair; <unk> in a target is the unknown token, as translate() writes it.
// InputError names the first line with more tokens than the model has positions, NumericError a
// line whose log-probability is not finite.
std::vector<PairScore> score_pairs(const Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const std::vector<std::string>& targets,
                                   double length_penalty = 1);

}  // namespace slope::train
