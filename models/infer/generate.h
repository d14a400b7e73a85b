// Generation: draws tokens from a language model, one after the other.
#pragma once

#include <slope/models/data/tokenizer.h>
#include <slope/models/infer/search/sampling.h>
#include <slope/models/kinds/language_model.h>

#include <functional>
#include <string>

namespace slope::train {

struct GenerateOptions {
  int64_t tokens = 500;
  Sampling sampling;
  std::string stop = {};  // the text ends before the first occurrence of this; empty: no such end
  // "\n" if the model has learned documents: the prompt starts one, and each separator, also in the
  // prompt, starts another with an empty context; empty: one text
  std::string separator = {};
  bool cached = true;                   // false: recompute the context at each step, for comparison
  std::function<void()> on_start = {};  // called when the prompt has been checked
  // called with each new piece of text as soon as what follows cannot change it
  std::function<void(const std::string& text)> on_text = {};
};

// The text that follows the prompt. The model sees the last block_size tokens. Up to that length,
// earlier computations are cached; beyond it each step shifts all positions and recomputes the
// whole window. An empty prompt means a newline, or token 0 if the tokenizer has no newline.
// InputError if a character of the prompt is unknown to a vocabulary of characters, UsageError for
// options that make no sense, NumericError if the logits are not finite.
std::string generate(const models::LanguageModel& model, const data::Tokenizer& tokenizer,
                     const std::string& prompt, const GenerateOptions& options = {});

}  // namespace slope::train
