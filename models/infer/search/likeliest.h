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

struct TokenChoice {
  bool ban_unk = false;
  bool log_p = true;  // false, only for k = 1: no probability is computed, Candidate::log_p is 0
};

// logits (R, V) -> for each row its k most likely tokens, the most likely first; among equally
// likely ones the lower id first. <pad> and <sos> are never among them, nor <unk> with `ban_unk`,
// nor a token of probability 0 unless k is 1. NumericError if a logit is nan or inf.
std::vector<Candidates> likeliest_tokens(const Tensor& logits, int64_t k,
                                         const TokenChoice& choice = {});

// For each row this token alone, however unlikely.
std::vector<Candidates> given_token(const Tensor& logits, int64_t token);

}  // namespace slope::train
