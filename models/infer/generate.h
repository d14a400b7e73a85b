// Generation: characters drawn from a language model, one after the other.
#pragma once

#include <slope/models/data/vocab.h>
#include <slope/models/kinds/language_model.h>

#include <functional>
#include <string>

namespace slope::train {

struct GenerateOptions {
  int64_t tokens = 500;
  double temperature = 1;  // logits are divided by it; 0: the likeliest character always
  int64_t top_k = 0;   // draws among the k likeliest, and those as likely as the k-th; 0: among all
  uint64_t seed = 0;   // the same seed gives the same text: draw i is a function of (seed, i)
  bool cached = true;  // false: the whole context at each step, for comparison
  std::function<void()> on_start = {};  // when the prompt is known to be good
  // told of each new character at once
  std::function<void(const std::string& character)> on_token = {};
};

// The text that follows the prompt. The model sees the last block_size characters. As long as these
// are all there are, what was computed for earlier ones is kept; beyond, every character moves to
// another position, and each step computes its window anew. An empty prompt stands for a newline,
// or the first character of the vocabulary where there is none. InputError where a character of the
// prompt is not in the vocabulary, UsageError for options that make no sense, NumericError where
// the logits are not finite.
std::string generate(const models::LanguageModel& model, const data::Vocab& vocab,
                     const std::string& prompt, const GenerateOptions& options = {});

// Draw number i of a seed from logits (V,): the token whose share of [0, 1) holds the number drawn,
// shares standing in the order of the tokens.
int64_t sample(const Tensor& logits, double temperature, int64_t top_k, uint64_t seed, int64_t i);

}  // namespace slope::train
