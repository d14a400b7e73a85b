// Words as tokens: those that the training text has often enough; all others are <unk>.
#pragma once

#include <slope/models/data/tokenizer.h>

namespace slope::data {

class WordTokenizer final : public Tokenizer {
 public:
  explicit WordTokenizer(Vocab vocab, WordOptions options = {})
      : vocab_(std::move(vocab)), options_(options) {}
  static TokenizerPtr from(const std::vector<const std::vector<std::string>*>& texts,
                           const TokenizerOptions& options);
  static TokenizerPtr read(const std::string& stem, const TokenizerOptions& options);

  int64_t size() const override { return vocab_.size(); }
  // A line break is a token of its own if the vocabulary has it, and a blank otherwise.
  Ids encode(std::string_view text) const override;
  std::string decode(std::span<const int64_t> ids) const override;
  bool looks_ahead() const override { return true; }
  Tokens words(std::span<const int64_t> ids) const override;
  std::string token(int64_t id) const override { return vocab_.token(id); }
  Tokens tokens(std::string_view line) const override { return split_words(line, options_); }
  std::vector<File> files() const override { return {{".vocab", vocab_.text()}}; }

 private:
  Vocab vocab_;
  WordOptions options_;
};

}  // namespace slope::data
