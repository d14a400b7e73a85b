// How a run splits its text: into words, characters or subwords (models/data/tokenizer.h).
#pragma once

#include <slope/models/config.h>
#include <slope/models/data/tokenizer.h>

namespace slope::train {

struct TokenizerSettings {
  std::string tokenizer = "subwords";
  bool lowercase = false;
  int64_t min_freq = 2;  // words that occur less often become <unk>
  int64_t vocab_size = 0;
  std::string subword_kind = "bpe", subword_model{};
  // What runs used before there was a choice of tokenizer: lower-cased words (true), or characters
  // as they are (false).
  bool words_before = true;
  SLOPE_CONFIG(key(tokenizer, "the units that text is split into",
                   {"subwords", "words", "characters"})
                   .since(words_before ? "\"words\"" : "\"characters\""),
               key(lowercase, "lower-case all text, so that the model writes lower case too")
                   .since(words_before ? "true" : "false"),
               key(min_freq, "how often a word must occur to be in the vocabulary", 1, 1e9)
                   .only_with("tokenizer", {"words"}),
               key(vocab_size,
                   "number of subwords; 0: from the size of the text, 4 sqrt(bytes), at most "
                   "32000, plus single bytes and characters",
                   0, 1e7)
                   .only_with("tokenizer", {"subwords"}),
               key(subword_kind, "how subwords are learned", {"bpe", "unigram"})
                   .only_with("tokenizer", {"subwords"}),
               key(subword_model,
                   "SentencePiece .model to use; empty: learned from the training text")
                   .only_with("tokenizer", {"subwords"})
                   .changeable())  // the name; a resumed run keeps its subwords
};

// Whether a setting of a run decides what its tokens are.
inline bool decides_tokens(const std::string& key) {
  TokenizerSettings tokens;
  return key == "shared_vocabulary" || models::find_setting(tokens.settings(), key);
}

}  // namespace slope::train
