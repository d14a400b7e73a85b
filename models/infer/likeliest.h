// The tokens with which a search goes on: the k most likely ones of each row of logits.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <cstdint>
#include <vector>

namespace slope::train {

struct Candidate {
  int64_t token;
  double log_p;  // of the token, given the tokens before it
};
using Candidates = std::vector<Candidate>;

// logits (R, V) -> for each row its k most likely tokens, the most likely first; of equal ones the
// lower id. <pad> and <sos> are never among them, nor <unk> with `ban_unk`; a token of probability
// 0 neither, unless k is 1. With k = 1, greedily, no probability is computed: log_p is 0.
// NumericError if a logit is nan or inf.
std::vector<Candidates> likeliest_tokens(const Tensor& logits, int64_t k, bool ban_unk);

}  // namespace slope::train
