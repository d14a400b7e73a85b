// Corpus BLEU (Papineni et al. 2002), one reference per line, in the two commonly published
// variants; scores are 0 to 100.
//   BLEU = 100 BP exp( 1/4 sum_n log p_n )
//   p_n  = clipped matches / n-grams of the hypotheses
//   BP   = min(1, exp(1 - r/h)),   r, h the lengths of all references and of all hypotheses
#pragma once

#include <slope/models/data/tokenize.h>

#include <array>
#include <cstdint>

namespace slope::data {

struct Bleu {
  double score = 0;
  std::array<double, 4> precisions{};  // percent, after smoothing
  std::array<int64_t, 4> matches{}, totals{};
  double brevity_penalty = 1;
  int64_t hypothesis_length = 0, reference_length = 0;  // in tokens

  // as sacreBLEU prints it: 37.81 70.1/44.2/… (BP = 1.000 ratio = …)
  std::string text() const;
};

// On the given tokens, without smoothing (torchtext's bleu_score times 100): 0 if an n-gram order
// has no match. Give references with their unknown words: as <unk>, these would raise the score.
// InputError if the numbers of lines differ.
Bleu token_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references);

// On lines, with sacreBLEU's default tokenizer, 13a, and default smoothing, exponential: the first
// order without a match is counted as 1/2 match, the next as 1/4, …  Lower-cased unless told
// otherwise; sacreBLEU itself keeps the case by default.
struct SacreBleu {
  bool lower_case = true;

  Bleu operator()(const std::vector<std::string>& hypotheses,
                  const std::vector<std::string>& references) const;
  // sacreBLEU's signature, with the version that computed the tests' expected scores
  std::string signature() const;
};

Tokens split_13a(std::string_view line);  // mteval-v13a's tokenizer

}  // namespace slope::data
