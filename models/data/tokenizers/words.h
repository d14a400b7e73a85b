// Words as tokens: those that occur often enough in the training text; all others are <unk>. The
// tokenizer also stores where that text's blanks differ from the rules.
#pragma once

#include <slope/models/data/tokenizer.h>
#include <slope/models/data/tokenizers/detokenize.h>
#include <slope/models/data/tokenizers/spacing.h>

namespace slope::data {

class WordTokenizer final : public Tokenizer {
 public:
  explicit WordTokenizer(Vocab vocab, WordOptions options = {}, Spacing spacing = {})
      : vocab_(std::move(vocab)), options_(options), spacing_(std::move(spacing)) {}
  static TokenizerPtr from(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options);
  // A run without the file STEM.spacing joins by rule alone.
  static TokenizerPtr read(const std::string& stem, const TokenizerOptions& options);

  int64_t size() const override { return vocab_.size(); }
  // A line break is a token of its own if the vocabulary has it; otherwise it only separates words.
  Ids encode(std::string_view text) const override;
  using Tokenizer::decode;
  std::string decode(std::span<const int64_t> ids, const Tokens& for_unknown) const override;
  size_t looks_ahead() const override { return rules_look_ahead; }
  Tokens words(std::span<const int64_t> ids) const override;
  std::string token(int64_t id) const override { return vocab_.token(id); }
  Tokens tokens(std::string_view line) const override { return split_words(line, options_); }
  std::vector<File> files() const override;

 private:
  Vocab vocab_;
  WordOptions options_;
  Spacing spacing_;
};

}  // namespace slope::data
