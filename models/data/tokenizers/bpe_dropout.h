// Byte-pair encoding with dropout: a word is split differently each time.
//   Provilkov et al., "BPE-Dropout: Simple and Effective Subword Regularization", 2020
#pragma once

#include <slope/core/tensor/random.h>

#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace slope::data {

// Repeatedly merges the two neighbours that together are the piece with the model's highest score
// (of equal ones, the leftmost) until no two can be merged; each merge is skipped with probability
// `dropout`. `draw` counts the numbers taken from `site`. Without dropout the pieces are those of
// SentencePiece's encoder.
std::vector<int> bpe_with_dropout(const sentencepiece::SentencePieceProcessor& model,
                                  std::string_view text, double dropout, const RandomSite& site,
                                  int64_t& draw);

}  // namespace slope::data
