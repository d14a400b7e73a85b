// Sampling: how the next token of a text is drawn from a model's logits.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <cstdint>
#include <span>

namespace slope::train {

// The fields apply in this order, as in the transformers library.
struct Sampling {
  // logits of tokens in the text so far are divided by it where positive, multiplied where negative
  // (Keskar et al., 2019); 1: no penalty
  double repetition_penalty = 1;
  double temperature = 1;  // logits are divided by it; 0: always the most likely token
  int64_t top_k = 0;  // draws among the k most likely, and any as likely as the k-th; 0: among all
  // draws among the fewest most likely tokens that together have this probability (Holtzman et al.,
  // 2020); of equal ones the lower id first; 1: among all
  double top_p = 1;
  // draws among tokens that have at least this share of the most likely one's probability (Nguyen
  // et al., 2024)
  double min_p = 0;
  uint64_t seed =
      0;  // the same seed gives the same text: draw i is a function of (seed, text_number, i)
  uint32_t text_number = 0;  // of several texts from the same seed
};

// UsageError for values that make no sense.
void check(const Sampling& sampling);

// The i-th draw from logits (V,), after the tokens `before`: the token whose share of [0, 1), in
// the order of the tokens, contains the number drawn. NumericError if a logit is not finite.
int64_t sample(const Tensor& logits, const Sampling& sampling, int64_t i,
               std::span<const int64_t> before = {});

}  // namespace slope::train
